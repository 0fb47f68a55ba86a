import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  counters,
  emailEvents,
  emailReports,
  mailFacts,
  noProject,
  type Caller,
  type MailFacts,
  type RebuildPosition,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import fc from 'fast-check';
import { startAnalyticsSuite, type AnalyticsSuite } from '../testing/analytics-suite.js';
import { mailWorld, type HappenedEvent } from '../testing/mail-world.js';

const operator: Caller = { projectId: noProject, actor: { kind: 'OPERATOR', id: 'posthorn' } };
const subscriber = 'analytics-counts-sending-email-sent';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let suite: AnalyticsSuite;
const projects: string[] = [];
let leave: (() => Promise<void>)[];
beforeAll(async () => {
  suite = await startAnalyticsSuite();
  await suite.startReplica();
  leave = [
    await standIn(suite.connection, mailFacts.page, ({ after }, { projectId }) => factsOf(projectId, after)),
    await standIn(suite.connection, mailFacts.projects, async ({ after }) => ({
      projectId: projects.toSorted().find((id) => id > after) ?? null,
    })),
  ];
});
afterAll(async () => {
  await Promise.all(leave.map((each) => each()));
  await suite.stop();
});

/** As sending answers: everything that it has published is stored, and was published within ten minutes. */
async function factsOf(projectId: string, after: string): Promise<MailFacts> {
  const events = await suite.sending.published(projectId);
  const idOf = (item: Record<string, unknown>) => item['emailId'] as string;
  const mails = [...new Set(events.flatMap(({ items }) => items.map(idOf)))].filter((id) => id > after);
  const page = new Set(mails.sort().slice(0, 7));
  const underWay = events.flatMap(({ id, name, items }) =>
    items
      .filter((item) => page.has(idOf(item)))
      .map((item) => ({ eventId: id, fact: { event: name, item } })),
  );
  const facts = underWay.map(({ fact }) => fact);
  return { mails: page.size, facts, underWay, next: [...page].at(-1) ?? null };
}

async function rebuild(): Promise<number> {
  let repaired = 0;
  let after: RebuildPosition | null = null;
  do {
    const piece: { repaired: number; next: RebuildPosition | null } = await suite.bus.call(
      counters.rebuild,
      operator,
      after ? { after } : {},
    );
    repaired += piece.repaired;
    after = piece.next;
  } while (after);
  return repaired;
}

const folded = () =>
  eventually(async () => {
    const rows = await suite.database.query(`SELECT FROM mail_count_deltas LIMIT 1`);
    return rows.length === 0;
  }, 'everything is folded');

type Row = Record<string, string | number>;

const measureNames = `accepted, sent, delivered, deferred, bounced, refused, complained, unsubscribed, opened, clicked, opens, clicks, raw_opens, raw_clicks`;
const tableOf = (projectId: string): Promise<Row[]> =>
  suite.database.query(
    `SELECT * FROM (SELECT concat_ws(' ', CASE WHEN c.hourly THEN 'hour' ELSE 'day' END, c.kind, c.owner, extract(epoch FROM at)::bigint, coalesce(k.text, c.key)) AS name, ${measureNames}
     FROM mail_counts c LEFT JOIN counted_keys k USING (project_id, kind, owner, key) WHERE project_id = $1) AS named ORDER BY name COLLATE "C"`,
    [projectId],
  );

/** By hand: one mail after the other. */
function recount(happened: readonly HappenedEvent[], now: number): Row[] {
  const rows = new Map<string, Row>();
  const zeros = Object.fromEntries(measureNames.split(', ').map((name) => [name, 0]));
  const oldest = now - (now % hourMs) - 30 * dayMs;
  for (const { event, item } of happened) {
    const dims = dimensionsOf(event.name, item);
    const times = [hourMs, dayMs].map((length) => item.at.getTime() - (item.at.getTime() % length));
    for (const [kind, owner, key] of dims)
      for (const [index, time] of times.entries()) {
        if (index === 0 && (kind === 'link' || kind === 'tag' || time < oldest)) continue;
        const measures = measuresOf(event.name.split('.').at(-1)!, item);
        if (measures.length === 0) continue;
        const name = [index === 0 ? 'hour' : 'day', kind, owner, time / 1_000, key].join(' ');
        const row: Row = rows.get(name) ?? { name, ...zeros };
        for (const measure of measures) row[measure] = (row[measure] as number) + 1;
        rows.set(name, row);
      }
  }
  return [...rows.values()].sort((a, b) => (a['name']! < b['name']! ? -1 : 1));
}

function measuresOf(event: string, item: HappenedEvent['item']): string[] {
  if (event === 'bounced' && item.bounceType === 'Transient') return [];
  if (event === 'bounced') return ['bounced', ...(item.refused ? ['refused'] : [])];
  if (event === 'delayed') return ['deferred'];
  if (event !== 'opened' && event !== 'clicked') return [event];
  const engaged = event === 'opened' ? 'opens' : 'clicks';
  if (item.isMachine) return [`raw_${engaged}`];
  return [`raw_${engaged}`, engaged, ...(item.isFirst ? [event] : [])];
}

function dimensionsOf(event: string, item: HappenedEvent['item']): [string, string, string][] {
  const { campaignId, templateId, metadata, sourceType, destination = 'other', tags = [], link } = item;
  const all: [string, string, string] = ['all', '', ''];
  if (event.endsWith('accepted')) return [all];
  const domain = item.from!.split('@')[1]!;
  const dims = [all, ['category', '', sourceType], ['destination', '', destination], ['domain', '', domain]];
  dims.push(['domain_destination', domain, destination], ...tags.map((tag) => ['tag', '', tag]));
  if (templateId) dims.push(['template', '', templateId]);
  if (campaignId) dims.push(['campaign', '', campaignId], ['campaign_destination', campaignId, destination]);
  if (campaignId && link) dims.push(['link', campaignId, link]);
  if (metadata) dims.push(['workflow', '', metadata['workflowId']!]);
  if (metadata) dims.push(['step', metadata['workflowId']!, metadata['stepId']!]);
  return dims as [string, string, string][];
}

describe('counters of mail', () => {
  it('equal a recount, whatever comes late, again, to another replica or during a rebuild', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, repeats) => {
        const { projectId } = suite.buildProject();
        projects.splice(0, Infinity, projectId);
        let state = seed >>> 0;
        const random = () => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
        const happened = mailWorld(random, 40);
        const publishing = (async () => {
          for (const { event, item } of happened)
            await suite.sending.publish(event, projectId, [item as object]);
        })();
        await rebuild();
        await publishing;
        await rebuild();
        if (repeats) await suite.sending.repeatAll();
        await suite.sending.taken(subscriber);
        await folded();
        expect(await tableOf(projectId)).toEqual(recount(happened, Date.now()));
        expect(await suite.database.query(`SELECT error FROM dead_letters`)).toEqual([]);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('are set right where they are wrong, and a second rebuild finds nothing', async () => {
    const { projectId } = suite.buildProject();
    projects.splice(0, Infinity, projectId);
    for (const { event, item } of mailWorld(Math.random, 30))
      await suite.sending.publish(event, projectId, [item as object]);
    await suite.sending.taken(subscriber);
    await folded();
    const before = await tableOf(projectId);
    expect(await rebuild()).toBe(0);
    expect(await tableOf(projectId)).toEqual(before);
    await suite.database.query(`UPDATE mail_counts SET sent = sent + 3 WHERE project_id = $1 AND hourly`, [
      projectId,
    ]);
    await suite.database.query(`DELETE FROM mail_counts WHERE project_id = $1 AND kind = 'destination'`, [
      projectId,
    ]);
    expect(await rebuild()).toBeGreaterThan(0);
    expect(await tableOf(projectId)).toEqual(before);
    expect(await rebuild()).toBe(0);
    expect(await suite.database.query(`SELECT FROM mail_counts_rebuilt`)).toEqual([]);
  });

  it('keep a thousand links of a campaign apart, and count the others together', async () => {
    const { projectId, caller } = suite.buildProject();
    const [campaignId, at] = [newId(), new Date()];
    const click = (index: number) => ({
      ...{ emailId: newId(), to: 'ann@example.org', from: 'a@example.test', sourceType: 'CAMPAIGN' },
      ...{ campaignId, at, link: `https://shop.example/${index}`, isFirst: false, isMachine: false },
    });
    await suite.sending.publish(
      emailEvents.clicked,
      projectId,
      Array.from({ length: 1_100 }, (_, index) => click(index)) as never[],
    );
    await suite.sending.taken(subscriber);
    await folded();
    const ask = {
      groupBy: 'link',
      campaignId,
      limit: 1_000,
      from: new Date(Date.now() - dayMs),
      to: new Date(),
    } as const;
    const { data, totals } = await suite.bus.call(emailReports.report, caller, ask);
    expect(data[0]).toMatchObject({ key: 'other', clicks: 100 });
    expect([totals.clicks, data.length]).toEqual([1_100, 1_000]);
  });
});

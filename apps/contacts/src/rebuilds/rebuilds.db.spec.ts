import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  noProject,
  contacts,
  emailEvents,
  events,
  lists,
  mailSummaries,
  memberships,
  readModels,
  segments,
  type Caller,
  type MailSummaries,
  type RebuildPosition,
  type RebuiltModel,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { plan } from '../segments/testing/segments-suite.js';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';

let suite: ContactsSuite;
let leave: () => Promise<void>;
/** The answer of sending, and what happens before it arrives. */
let text: MailSummaries = { items: [], underWay: [] };
let meanwhile: () => Promise<unknown> = () => Promise.resolve();
beforeAll(async () => {
  suite = await startContactsSuite();
  leave = await standIn(suite.connection, mailSummaries.of, async () => {
    await meanwhile();
    return text;
  });
});
afterAll(async () => {
  await leave();
  await suite.stop();
});
beforeEach(() => {
  text = { items: [], underWay: [] };
  meanwhile = () => Promise.resolve();
});

const operator: Caller = { projectId: noProject, actor: { kind: 'OPERATOR', id: 'posthorn' } };

async function rebuild(model: RebuiltModel): Promise<number> {
  let repaired = 0;
  let after: RebuildPosition | null = null;
  do {
    const piece: { repaired: number; next: RebuildPosition | null } = await suite.bus.call(
      readModels.rebuild,
      operator,
      after ? { model, after } : { model },
    );
    repaired += piece.repaired;
    after = piece.next;
  } while (after);
  return repaired;
}

/** The values of each model, with deltas that are not folded yet. */
const models: Record<Exclude<RebuiltModel, 'mail_summaries'>, string> = {
  contacts: `SELECT sum(total) AS total, sum(subscribed) AS subscribed FROM (SELECT total, subscribed FROM contact_counts WHERE project_id = $1
    UNION ALL SELECT total, subscribed FROM contact_count_deltas WHERE project_id = $1) AS p`,
  lists: `SELECT list_id, sum(pending) AS p, sum(confirmed) AS c, sum(unsubscribed) AS u FROM (SELECT project_id, list_id, pending, confirmed, unsubscribed FROM list_counts
    UNION ALL SELECT project_id, list_id, pending, confirmed, unsubscribed FROM list_count_deltas) AS p WHERE project_id = $1 GROUP BY list_id ORDER BY list_id`,
  segments: `SELECT segment_id, sum(total) AS total FROM (SELECT project_id, segment_id, total FROM segment_counts
    UNION ALL SELECT project_id, segment_id, total FROM segment_count_deltas) AS p WHERE project_id = $1 GROUP BY segment_id ORDER BY segment_id`,
  events: `SELECT 'name' AS what, name, null AS day, sum(count) AS count FROM (SELECT project_id, name, count FROM event_names
      UNION ALL SELECT project_id, name, count FROM event_count_deltas) AS p WHERE project_id = $1 GROUP BY name
    UNION ALL SELECT 'day', name, day::text, sum(count) FROM (SELECT project_id, day, name, count FROM event_days
      UNION ALL SELECT project_id, day, name, count FROM event_count_deltas) AS p WHERE project_id = $1 GROUP BY name, day ORDER BY 1, 2, 3`,
  event_summaries: `SELECT contact_id, name, count, first_at, last_at FROM event_summaries WHERE project_id = $1 ORDER BY contact_id, name`,
};

/** A project with rows in every table. */
async function furnish(): Promise<{ projectId: string; caller: Caller }> {
  const { caller, projectId } = suite.buildProject();
  const list = await suite.bus.call(lists.create, caller, { name: 'News' });
  await suite.bus.call(segments.create, caller, { name: 'Pro', type: 'DYNAMIC', condition: plan('pro') });
  for (const [index, email] of ['a@example.org', 'b@example.org', 'c@example.org'].entries()) {
    await suite.bus.call(contacts.upsert, caller, {
      email,
      subscribed: index > 0,
      customFields: { plan: index > 1 ? 'free' : 'pro' },
    });
    await suite.bus.call(memberships.subscribe, caller, { id: list.id, email });
    await suite.bus.call(events.track, caller, { event: 'signup', email });
    if (index > 0) await suite.bus.call(events.track, caller, { event: 'order', email });
  }
  await suite.bus.call(memberships.unsubscribe, caller, { id: list.id, email: 'a@example.org' });
  await eventually(
    async () =>
      (await suite.database.query(`SELECT 1 FROM segment_members WHERE project_id = $1`, [projectId]))
        .length === 2,
    'upkeep has found the members',
  );
  await eventually(
    async () =>
      (await suite.database.query(`SELECT 1 FROM event_count_deltas WHERE project_id = $1`, [projectId]))
        .length === 0,
    'the counts are folded',
  );
  return { projectId, caller };
}

describe('rebuilding a damaged read model', () => {
  it.each<[RebuiltModel & keyof typeof models, string[]]>([
    ['contacts', [`UPDATE contact_counts SET total = total + 5, subscribed = 0 WHERE project_id = $1`]],
    ['contacts', [`DELETE FROM contact_counts WHERE project_id = $1`]],
    ['lists', [`UPDATE list_counts SET confirmed = 100, unsubscribed = 0 WHERE project_id = $1`]],
    [
      'segments',
      [
        `INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT project_id, id, 7 FROM segments WHERE project_id = $1`,
      ],
    ],
    [
      'events',
      [
        `UPDATE event_names SET count = 40 WHERE project_id = $1`,
        `DELETE FROM event_days WHERE project_id = $1 AND name = 'order'`,
      ],
    ],
    ['events', [`INSERT INTO event_names (project_id, name, count) VALUES ($1, 'never', 3)`]],
    [
      'event_summaries',
      [`UPDATE event_summaries SET count = 9, first_at = now() WHERE project_id = $1 AND name = 'signup'`],
    ],
    [
      'event_summaries',
      [
        `DELETE FROM event_summaries WHERE project_id = $1 AND name = 'order'`,
        `INSERT INTO event_summaries SELECT project_id, id, 'never', 1, now(), now() FROM contacts WHERE project_id = $1`,
      ],
    ],
  ])('restores %s, and a second rebuild changes nothing', async (model, damages) => {
    const { projectId } = await furnish();
    const whole = await suite.database.query(models[model], [projectId]);
    for (const damage of damages) await suite.database.query(damage, [projectId]);
    expect(await suite.database.query(models[model], [projectId])).not.toEqual(whole);
    expect(await rebuild(model)).toBeGreaterThan(0);
    expect(await suite.database.query(models[model], [projectId])).toEqual(whole);
    expect(await rebuild(model)).toBe(0);
  });

  it('loses no concurrent writes', async () => {
    const { projectId, caller } = await furnish();
    await suite.database.query(`UPDATE event_summaries SET count = 50 WHERE project_id = $1`, [projectId]);
    await suite.database.query(`UPDATE contact_counts SET total = 0 WHERE project_id = $1`, [projectId]);
    const writes = Array.from({ length: 60 }, (_, index) =>
      suite.bus.call(events.track, caller, { event: 'visit', email: `v${index % 20}@example.org` }),
    );
    await Promise.all([...writes, rebuild('contacts'), rebuild('event_summaries'), rebuild('events')]);
    for (const model of ['contacts', 'event_summaries', 'events'] as const)
      expect([model, await rebuild(model)]).toEqual([model, 0]);
  });
});

describe('rebuilding summaries of mail', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  const email = 'ann@example.org';
  const durable = 'contacts-summaries-sending-email-sent';
  const sum = (count: number) => ({
    items: [{ email, kind: 'sent' as const, count, firstAt: at, lastAt: at }],
    underWay: [],
  });
  const sent = (projectId: string) =>
    suite.sending.publish(emailEvents.sent, projectId, [
      { emailId: newId(), to: email, at, sourceType: 'TRANSACTIONAL' },
    ]);
  const stored = async (projectId: string) =>
    (
      await suite.database.query<{ count: number }>(
        `SELECT count FROM mail_summaries WHERE project_id = $1`,
        [projectId],
      )
    ).map(({ count }) => count);
  const open = async () => {
    const { caller, projectId } = suite.buildProject();
    await suite.database.query(`DELETE FROM mail_summaries`);
    await suite.database.query(`DELETE FROM contacts`);
    await suite.bus.call(contacts.create, caller, { email });
    return projectId;
  };

  it('takes them from sending, and a second rebuild changes nothing', async () => {
    const projectId = await open();
    text = sum(4);
    expect(await rebuild('mail_summaries')).toBe(1);
    expect(await stored(projectId)).toEqual([4]);
    expect(await rebuild('mail_summaries')).toBe(0);
    text = { items: [], underWay: [] };
    expect(await rebuild('mail_summaries')).toBe(1);
    expect(await stored(projectId)).toEqual([]);
  });

  it('leaves out events under way and counts processed ones once', async () => {
    const projectId = await open();
    await sent(projectId);
    await suite.sending.taken(durable);
    const [taken] = await suite.database.query<{ id: string }>(
      `SELECT event_id AS id FROM inbox WHERE subscriber = $1 ORDER BY received_at DESC LIMIT 1`,
      [durable],
    );
    const underWay = [taken!.id, newId()].map((eventId) => ({
      eventId,
      email,
      kind: 'sent' as const,
      at,
    }));
    text = { ...sum(6), underWay };
    await rebuild('mail_summaries');
    expect(await stored(projectId)).toEqual([5]);
  });

  it('loses no event that arrives during the call to sending', async () => {
    const projectId = await open();
    let requested = 0;
    text = sum(3);
    meanwhile = async () => {
      requested += 1;
      if (requested > 1) return;
      await sent(projectId);
      await suite.sending.taken(durable);
      text = sum(4);
    };
    // The first answer is older than the event, so sending is called again.
    await rebuild('mail_summaries');
    expect([requested, await stored(projectId)]).toEqual([2, [4]]);
  });

  it('counts events once that waited for their contact', async () => {
    const projectId = await open();
    await suite.database.query(
      `INSERT INTO early_mail_events (project_id, email, kind, count, first_at, last_at) VALUES ($1, $2, 'sent', 1, $3, $3), ($1, 'other@example.org', 'sent', 1, $3, $3)`,
      [projectId, email, at],
    );
    text = sum(1);
    await rebuild('mail_summaries');
    expect(await stored(projectId)).toEqual([1]);
    expect(
      await suite.database.query(`SELECT email FROM early_mail_events WHERE project_id = $1`, [projectId]),
    ).toEqual([{ email: 'other@example.org' }]);
  });

  it('refuses while there are dead letters, which would count twice', async () => {
    await open();
    await suite.database.query(
      `INSERT INTO dead_letters (id, subscriber, event_id, event_name, payload, error, attempts, first_at) VALUES (uuidv7(), $1, uuidv7(), 'f', '{}', 'no', 1, now())`,
      [durable],
    );
    await expect(rebuild('mail_summaries')).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('replay'),
    });
    await suite.database.query(`DELETE FROM dead_letters`);
  });
});

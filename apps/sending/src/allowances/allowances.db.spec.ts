import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allowances,
  emails,
  usage,
  type Caller,
  type SourceType,
  type UsageLimit,
} from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { Pace } from '../pacing/pace.js';
import { lanes, type Lane } from '../delivery/delivery-states.js';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { claimedMessages, markedBy, type HeldMessage } from '../testing/claimed-messages.js';
import { marksAtOnce } from '../testing/marks-at-once.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { usageWarningWork } from './usage-warnings.work.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const marks = () =>
  new HandOffMarks(suite.database, new Pace({ providerKind: 'allowed', perSecond: 0 }), suite.hasher);
const setLimit = (caller: Caller, limit: UsageLimit, messages: number | 'none') =>
  suite.bus.call(allowances.set, caller, { limit, messages: String(messages) });
const from = (source: SourceType, messages: HeldMessage[]): HeldMessage[] =>
  messages.map((message) => ({ ...message, sourceType: source }));

async function mark(
  projectId: string,
  count: number,
  source: SourceType = 'TRANSACTIONAL',
  lane: Lane = lanes.transactional,
) {
  const { workerId, messages } = await claimedMessages(suite.database, projectId, count, lane);
  const marked = await markedBy(marks(), workerId, from(source, messages));
  return { workerId, messages, marked, decisions: marked.map(({ decision }) => decision) };
}

describe('an allowance', () => {
  it('is never exceeded by marks at the same time', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'MONTHLY', 7);
    const batches = await Promise.all(
      Array.from({ length: 10 }, () => claimedMessages(suite.database, projectId, 5, lanes.transactional)),
    );
    await suite.database.query(
      `INSERT INTO usage_counts (project_id, shard) SELECT $1, shard FROM generate_series(0, 15) AS shard`,
      [projectId],
    );
    const lock = `SELECT 1 FROM usage_counts WHERE project_id = $1 FOR UPDATE`;
    const decisions = (await marksAtOnce(suite.database, marks(), batches, lock))
      .flat()
      .map(({ decision }) => decision);
    expect(decisions.filter((decision) => decision === 'ok')).toHaveLength(7);
    expect(decisions.filter((decision) => decision === 'quota')).toHaveLength(43);
    expect((await suite.bus.call(usage.get, caller, {})).monthly).toMatchObject({ emailsSent: 7, limit: 7 });
  });

  it('counts by source, by month and by day, for projects without limits as well', async () => {
    const { caller, projectId } = await suite.buildProject();
    await Promise.all([mark(projectId, 3), mark(projectId, 2, 'CAMPAIGN'), mark(projectId, 1, 'WORKFLOW')]);
    expect(await suite.bus.call(usage.get, caller, {})).toMatchObject({
      plan: 'SELF_HOSTED',
      whenExhausted: 'FAIL',
      monthly: {
        emailsSent: 6,
        limit: null,
        categories: {
          transactional: { emailsSent: 3, limit: null },
          campaign: { emailsSent: 2, limit: null },
          workflow: { emailsSent: 1, limit: null },
          inbound: { emailsSent: 0, limit: null },
        },
      },
      daily: { emailsSent: 6, limit: null, trustTier: 'UNLIMITED' },
    });
  });

  it('of one source does not bound the others, and what it refuses leaves room for them', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'CAMPAIGN', 1);
    await setLimit(caller, 'DAILY', 3);
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 6, lanes.transactional);
    const mixed = [...from('CAMPAIGN', messages.slice(0, 3)), ...messages.slice(3)];
    const marked = await markedBy(marks(), workerId, mixed);
    expect(marked.map(({ decision }) => decision)).toEqual(['ok', 'quota', 'quota', 'ok', 'ok', 'quota']);
  });

  it('counts a message once, however often it is tried, and mail to the simulator not at all', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'MONTHLY', 2);
    const first = await mark(projectId, 2);
    await suite.database.query(`UPDATE deliveries SET state = 'CLAIMED' WHERE project_id = $1`, [projectId]);
    const again = await markedBy(marks(), first.workerId, first.messages);
    expect(again.map(({ decision }) => decision)).toEqual(['ok', 'ok']);
    const simulated = await claimedMessages(suite.database, projectId, 1, lanes.transactional);
    await suite.database.query(
      `UPDATE deliveries SET recipient = 'success@simulator.posthorn.test' WHERE project_id = $1 AND email_id = $2`,
      [projectId, simulated.messages[0]!.emailId],
    );
    expect(await markedBy(marks(), simulated.workerId, simulated.messages)).toMatchObject([
      { decision: 'ok' },
    ]);
    expect((await suite.bus.call(usage.get, caller, {})).monthly.emailsSent).toBe(2);
    expect((await mark(projectId, 1)).decisions).toEqual(['quota']);
  });

  it('begins again with the next month and the next day', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'TRANSACTIONAL', 1);
    await setLimit(caller, 'DAILY', 1);
    expect((await mark(projectId, 2)).decisions).toEqual(['ok', 'quota']);
    await suite.database.query(
      `UPDATE usage_counts SET month = month - interval '1 month', day = day - 1 WHERE project_id = $1`,
      [projectId],
    );
    expect((await suite.bus.call(usage.get, caller, {})).monthly.emailsSent).toBe(0);
    expect((await mark(projectId, 2)).decisions).toEqual(['ok', 'quota']);
    await suite.database.query(`UPDATE usage_counts SET day = day - 1 WHERE project_id = $1`, [projectId]);
    expect((await mark(projectId, 1)).decisions).toEqual(['quota']);
  });

  it('for campaigns bounds other marketing mail as well, and leaves transactional mail alone', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'CAMPAIGN', 1);
    expect((await mark(projectId, 2, 'TRANSACTIONAL', lanes.bulk)).decisions).toEqual(['ok', 'quota']);
    expect((await mark(projectId, 2)).decisions).toEqual(['ok', 'ok']);
    expect((await suite.bus.call(usage.get, caller, {})).monthly.categories).toMatchObject({
      transactional: { emailsSent: 2 },
      campaign: { emailsSent: 1, limit: 1 },
    });
  });

  it('does not lose what a transaction of the new day has counted to one that began before midnight', async () => {
    const { caller, projectId } = await suite.buildProject();
    await suite.database.query(
      `INSERT INTO usage_counts (project_id, shard, day, sent_today, month, transactional)
       SELECT $1, shard, (now() AT TIME ZONE 'UTC')::date + 1, 5, (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month')::date, 7 FROM generate_series(0, 15) AS shard`,
      [projectId],
    );
    await mark(projectId, 1);
    const [row] = await suite.database.query(
      `SELECT max(sent_today) AS today, max(transactional) AS transactional FROM usage_counts WHERE project_id = $1`,
      [projectId],
    );
    expect(row).toEqual({ today: 6, transactional: 8 });
    expect((await suite.bus.call(usage.get, caller, {})).daily.emailsSent).toBe(0);
  });

  it('that is removed bounds nothing', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'MONTHLY', 0);
    expect((await mark(projectId, 1)).decisions).toEqual(['quota']);
    await setLimit(caller, 'MONTHLY', 'none');
    expect((await mark(projectId, 1)).decisions).toEqual(['ok']);
  });
});

describe('mail over an allowance', () => {
  it('waits for the next day where the project asks for that, visibly, and is sent once the limit is raised', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await setLimit(caller, 'DAILY', 1);
    await suite.bus.call(usage.update, caller, { whenExhausted: 'HOLD' });
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { id } = (
        await suite.bus.call(emails.accept, caller, buildSend(domain, { to: `held-${index}@${domain}` }))
      ).emails[0]!;
      ids.push(id);
    }
    const held = await eventually(async () => {
      const all = await Promise.all(ids.map((id) => suite.bus.call(emails.get, caller, { id })));
      const waiting = all.filter(({ failureKind }) => failureKind === 'quota_exhausted');
      return waiting.length === 2 && waiting;
    }, 'two messages wait for the next day');
    expect(held).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }]);
    const [row] = await suite.database.query<{ due: boolean; window: boolean }>(
      `SELECT bool_and(due_at BETWEEN now() AND ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC' + interval '5 seconds') AS due,
         bool_and(expires_at - due_at BETWEEN interval '23 hours 59 minutes' AND interval '24 hours 1 minute') AS window
       FROM deliveries WHERE project_id = $1 AND state = 'QUEUED'`,
      [projectId],
    );
    expect(row).toEqual({ due: true, window: true });
    // The same choice again checks nothing again.
    await suite.bus.call(usage.update, caller, { whenExhausted: 'HOLD' });
    const releases = () =>
      suite.database.query(
        `SELECT 1 FROM work_items WHERE kind = 'sending.allowance-releases' AND project_id = $1 AND key = 'now'`,
        [projectId],
      );
    expect(await releases()).toEqual([]);
    await setLimit(caller, 'DAILY', 3);
    for (const id of ids)
      await eventually(
        async () => (await suite.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
        `${id} is delivered`,
      );
    const [windows] = await suite.database.query(
      `SELECT bool_and(expires_at < now() + interval '24 hours 1 minute') AS new FROM deliveries WHERE project_id = $1`,
      [projectId],
    );
    expect(windows).toEqual({ new: true });
  });

  it('waits for the next month where a limit of the month is reached', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'TRANSACTIONAL', 0);
    await setLimit(caller, 'DAILY', 0);
    await suite.bus.call(usage.update, caller, { whenExhausted: 'HOLD' });
    const { marked } = await mark(projectId, 1);
    const { monthly } = await suite.bus.call(usage.get, caller, {});
    const now = await suite.database.query<{ now: Date }>('SELECT now() AS now');
    expect(marked[0]!.delayMs! + now[0]!.now.getTime()).toBeCloseTo(monthly.resetsAt.getTime(), -4);
  });

  it('is given up after 31 days', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await setLimit(caller, 'MONTHLY', 0);
    await suite.bus.call(usage.update, caller, { whenExhausted: 'HOLD' });
    const { id } = (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!;
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).failureKind === 'quota_exhausted',
      'it waits',
    );
    await suite.database.query(
      `UPDATE emails SET scheduled_at = now() - interval '32 days' WHERE project_id = $1 AND id = $2`,
      [projectId, id],
    );
    await suite.database.query(`UPDATE deliveries SET due_at = now() WHERE project_id = $1`, [projectId]);
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).status === 'FAILED',
      'it is given up',
    );
  });
});

describe('owners', () => {
  it('are warned once at 80 and once at 100 percent of each limit', async () => {
    const { caller, projectId } = await suite.buildProject();
    await setLimit(caller, 'MONTHLY', 10);
    await setLimit(caller, 'CAMPAIGN', 1_000);
    const warned = async () => {
      await suite.queue.enqueue(usageWarningWork, [
        { projectId: '00000000-0000-0000-0000-000000000000', key: usageWarningWork.name },
      ]);
      await eventually(async () => {
        const due = await suite.database.query(
          `SELECT 1 FROM work_items WHERE kind = $1 AND (state <> 'WAITING' OR due_at <= now())`,
          [usageWarningWork.name],
        );
        return due.length === 0;
      }, 'the round is over');
      const rows = await suite.database.query<{ items: { limit: string; percent: number }[] }>(
        `SELECT items FROM outbox WHERE project_id = $1 AND event_name = 'sending.usage.warned' ORDER BY id`,
        [projectId],
      );
      return rows.flatMap(({ items }) => items.map(({ limit, percent }) => `${limit} ${percent}`));
    };
    await mark(projectId, 7);
    expect(await warned()).toEqual([]);
    await mark(projectId, 1);
    expect(await warned()).toEqual(['MONTHLY 80']);
    await mark(projectId, 2);
    expect(await warned()).toEqual(['MONTHLY 80', 'MONTHLY 100']);
    expect(await warned()).toEqual(['MONTHLY 80', 'MONTHLY 100']);
  });
});

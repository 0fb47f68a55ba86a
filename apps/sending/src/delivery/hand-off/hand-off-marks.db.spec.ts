import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { suppressions } from '@posthorn/contracts';
import { UsageRepository } from '../../allowances/usage.repository.js';
import { claimedMessages, markedBy } from '../../testing/claimed-messages.js';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { HandOffMarks } from './hand-off-marks.repository.js';
import { HandOffSignals } from './hand-off-signals.js';
import { Pace } from '../../pacing/pace.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

describe('the mark', () => {
  it('counts only messages that may leave against the allowance', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 5);
    await new UsageRepository(suite.database).setLimit(projectId, 'CAMPAIGN', 2);
    await suite.bus.call(suppressions.put, caller, { email: messages[0]!.recipient });
    const lost = { ...messages[1]!, leaseToken: 7 };
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'allowed', perSecond: 0 }),
      suite.hasher,
    );
    const marked = await markedBy(marks, workerId, [messages[0]!, lost, ...messages.slice(2)]);
    expect(marked.map(({ decision }) => decision)).toEqual(['suppressed', 'claim_lost', 'ok', 'ok', 'quota']);
  });

  it('hands over nothing of a worker whose lease has ended, or that another one has claimed since', async () => {
    const { projectId } = await suite.buildProject();
    const stopped = await claimedMessages(suite.database, projectId, 2);
    const other = await claimedMessages(suite.database, projectId, 1);
    const inHandOff = async () => {
      const [row] = await suite.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM deliveries WHERE project_id = $1 AND state = 'HANDOFF'`,
        [projectId],
      );
      return row!.count;
    };
    const [taken, kept] = [stopped.messages[0]!, stopped.messages[1]!];
    await suite.database.query(
      `UPDATE deliveries SET worker_id = $3, lease_token = lease_token + 1 WHERE project_id = $1 AND email_id = $2`,
      [projectId, taken.emailId, other.workerId],
    );
    await markedBy(marksAt(0), stopped.workerId, [taken]);
    expect(await inHandOff()).toBe(0);
    await suite.database.query(`UPDATE workers SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      stopped.workerId,
    ]);
    await markedBy(marksAt(0), stopped.workerId, [kept]);
    expect(await inHandOff()).toBe(0);
    await markedBy(marksAt(0), other.workerId, [{ ...taken, leaseToken: taken.leaseToken + 1 }]);
    expect(await inHandOff()).toBe(1);
  });

  it('refuses messages that are past their day', async () => {
    const { projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 2);
    await suite.database.query(
      `UPDATE deliveries SET expires_at = now() - interval '6 minutes' WHERE project_id = $1 AND email_id = $2`,
      [projectId, messages[0]!.emailId],
    );
    const marked = await markedBy(marksAt(0), workerId, messages);
    expect(marked.map(({ decision }) => decision)).toEqual(['expired', 'ok']);
  });

  it('keeps back what has quiet hours now, until they end on this day', async () => {
    const { projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 4);
    const quiet = (index: number, fromHours: number, hours: number) =>
      suite.database.query(
        `UPDATE deliveries SET quiet_from = now() + make_interval(secs => $3::float8 * 3600), quiet_seconds = $4 WHERE project_id = $1 AND email_id = $2`,
        [projectId, messages[index]!.emailId, fromHours, hours * 3_600],
      );
    await quiet(0, -1, 3);
    await quiet(1, -49, 3);
    await quiet(2, -5, 3);
    await quiet(3, 1, 3);
    // By the clock of before, they would have ended half an hour ago.
    await quiet(0, -3.5, 3);
    await suite.database.query(
      `UPDATE deliveries SET quiet_shift_at = now() - interval '1 minute', quiet_shift_seconds = -5400 WHERE project_id = $1 AND email_id = $2`,
      [projectId, messages[0]!.emailId],
    );
    const marks = await markedBy(marksAt(0), workerId, messages);
    expect(marks.map(({ decision }) => decision)).toEqual(['quiet_hours', 'quiet_hours', 'ok', 'ok']);
    for (const [index, hours] of [1, 2].entries()) {
      expect(marks[index]!.delayMs).toBeGreaterThan(hours * 3_600_000 - 60_000);
      expect(marks[index]!.delayMs).toBeLessThanOrEqual(hours * 3_600_000);
    }
  });

  it('takes slots of the rate limit only for what leaves', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 12);
    for (const { recipient } of messages.slice(0, 10))
      await suite.bus.call(suppressions.put, caller, { email: recipient });
    const perSecond = 10;
    const marks = await markedBy(marksAt(perSecond), workerId, messages);
    expect(marks.map(({ decision }) => decision)).toEqual([
      ...Array<string>(10).fill('suppressed'),
      'ok',
      'ok',
    ]);
    const slots = marks.map(({ slot }) => slot);
    expect(slots.slice(0, 10)).toEqual(Array(10).fill(null));
    expect(slots[11]! - slots[10]!).toBeGreaterThanOrEqual(1_000 / perSecond);
    const [{ waitMs }] = (await suite.database.query<{ waitMs: number }>(
      `SELECT extract(epoch FROM next_at - clock_timestamp())::float8 * 1000 AS "waitMs" FROM pace WHERE provider = $1`,
      [`at ${perSecond}`],
    )) as [{ waitMs: number }];
    expect(waitMs).toBeLessThanOrEqual((2 * 1_000) / (0.9 * perSecond));
  });

  it('tells the autoscaler what holds mail back: the pace of all replicas, or an allowance', async () => {
    const { projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 6);
    const pace = new Pace({ providerKind: 'signalled', perSecond: 2 });
    const marksOf = () => {
      const signals = new HandOffSignals(16);
      return { signals, marks: new HandOffMarks(suite.database, pace, suite.hasher, null, signals) };
    };
    const [first, second] = [marksOf(), marksOf()];
    const limits = ({ signals }: typeof first) => [
      signals.isLimitedBy('pace'),
      signals.isLimitedBy('allowance'),
    ];
    await markedBy(first.marks, workerId, messages.slice(0, 1));
    expect(limits(first)).toEqual([false, false]);
    await markedBy(second.marks, workerId, messages.slice(1, 2));
    expect([limits(first), limits(second)]).toEqual([
      [false, false],
      [true, false],
    ]);
    await new UsageRepository(suite.database).setLimit(projectId, 'CAMPAIGN', 2);
    await markedBy(first.marks, workerId, messages.slice(2, 6));
    expect(limits(first)[1]).toBe(true);
  });

  const marksAt = (perSecond: number) =>
    new HandOffMarks(suite.database, new Pace({ providerKind: `at ${perSecond}`, perSecond }), suite.hasher);
});

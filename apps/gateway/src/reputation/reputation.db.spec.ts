import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyEvents, emailEvents, projects, type AcceptSend, type Project } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher } from '@posthorn/testing';
import { operatorOf, startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { takeMails } from '../testing/taken-mails.js';
import { verdictOf } from './reputation-rules.js';

let suite: GatewaySuite;
let sending: EventPublisher;
let taken: AcceptSend[];
let stop: () => Promise<void>;

beforeAll(async () => {
  suite = await startGatewaySuite({ REPUTATION_CONFIRM_SECONDS: '1' });
  sending = await EventPublisher.start(suite.connection, 'sending');
  ({ taken, stop } = await takeMails(suite));
});
afterAll(async () => {
  await stop();
  await sending.stop();
  await suite.stop();
});

const hourMs = 3_600_000;
interface Told {
  to?: string;
  from?: string;
  hoursAgo?: number;
}
const items = (
  count: number,
  { to = 'ada@example.org', from = 'hello@shop.example', hoursAgo = 0 }: Told = {},
) =>
  Array.from({ length: count }, () => ({
    emailId: newId(),
    to,
    from,
    at: new Date(Date.now() - hoursAgo * hourMs),
    sourceType: 'TRANSACTIONAL' as const,
  }));

async function buildProject() {
  const { projectId } = await suite.buildProject();
  const owner = `owner-${projectId}@example.com`;
  await suite.buildUser({ email: owner, projectId, role: 'OWNER' });
  const mails = () => taken.filter(({ recipients }) => recipients[0]!.to.email === owner);
  const read = (): Promise<Project> => suite.bus.call(projects.get, operatorOf(projectId), { id: projectId });
  return { projectId, mails, read };
}

const sent = (projectId: string, count: number, told?: Told) =>
  sending.publish(emailEvents.sent, projectId, items(count, told));
const bounced = (
  projectId: string,
  count: number,
  told?: Told,
  bounceType: 'Permanent' | 'Transient' = 'Permanent',
) =>
  sending.publish(
    emailEvents.bounced,
    projectId,
    items(count, told).map((item) => ({ ...item, bounceType, reason: null })),
  );
const complained = (projectId: string, count: number, told?: Told) =>
  sending.publish(emailEvents.complained, projectId, items(count, told));
const counted = (projectId: string, wanted: object) =>
  eventually(async () => {
    const [row] = await suite.database.query(
      `SELECT sum(sent)::int AS sent, sum(bounced)::int AS bounced, sum(complained)::int AS complained FROM reputation_hours WHERE project_id = $1`,
      [projectId],
    );
    return JSON.stringify(row) === JSON.stringify(wanted);
  }, JSON.stringify(wanted));
/** No evaluation is due or running. */
const evaluated = (projectId: string) =>
  eventually(async () => {
    const rows = await suite.database.query(
      `SELECT 1 FROM work_items WHERE kind = 'gateway.reputation' AND project_id = $1`,
      [projectId],
    );
    return rows.length === 0;
  }, 'the evaluation');

describe('the reputation of a project', () => {
  it('disables it at a tenth of bounces, warns the owners at half of that, and tells them of both', async () => {
    const { projectId, mails, read } = await buildProject();
    await sent(projectId, 200);
    await counted(projectId, { sent: 200, bounced: 0, complained: 0 });
    await bounced(projectId, 10);
    await eventually(async () => mails().length === 1, 'the warning');
    expect((await read()).disabled).toBe(false);
    await bounced(projectId, 9);
    await evaluated(projectId);
    expect([(await read()).disabled, mails().length]).toEqual([false, 1]);
    await bounced(projectId, 1);
    await eventually(async () => mails().length === 2, 'the second mail');
    expect(await read()).toMatchObject({ disabled: true, disabledReason: 'EMAIL_REPUTATION' });
    expect(mails().map(({ subject }) => subject)).toEqual([
      'A project is close to being disabled',
      'A project is disabled',
    ]);
    expect(mails()[1]!.text).toMatch(/^Of the 200 messages of the last 7 days, 10\.00 % bounced/);
  });

  it('is also a matter of complaints', async () => {
    const { projectId, read } = await buildProject();
    await sent(projectId, 200);
    await counted(projectId, { sent: 200, bounced: 0, complained: 0 });
    await complained(projectId, 1);
    await eventually(async () => (await read()).disabled, 'it is disabled');
  });

  it('counts the copies of e-mails, so that nobody hides bad addresses among them', async () => {
    const { projectId, read } = await buildProject();
    await sending.publish(copyEvents.sent, projectId, items(150));
    await counted(projectId, { sent: 150, bounced: 0, complained: 0 });
    await sending.publish(copyEvents.complained, projectId, items(1, { from: 'p-1@sandbox.test' }));
    const refused = items(50).map((item) => ({ ...item, refused: true }));
    await sending.publish(copyEvents.bounced, projectId, refused);
    await eventually(async () => (await read()).disabled, 'it is disabled');
    await counted(projectId, { sent: 200, bounced: 50, complained: 0 });
  });

  it('does not count simulated mail, that of TEST keys, soft bounces, few messages and those of last week', async () => {
    const { projectId, mails, read } = await buildProject();
    await sent(projectId, 99);
    await sent(projectId, 100, { to: 'bounce@simulator.posthorn.test' });
    await bounced(projectId, 50, { to: 'bounce@simulator.posthorn.test' });
    await bounced(projectId, 50, { from: 'p-1@sandbox.test' });
    await complained(projectId, 50, { to: 'complaint+x@simulator.posthorn.test' });
    await bounced(projectId, 50, {}, 'Transient');
    await sent(projectId, 100, { hoursAgo: 7 * 24 + 2 });
    await bounced(projectId, 60, { hoursAgo: 7 * 24 + 2 });
    await bounced(projectId, 20);
    await evaluated(projectId);
    expect([(await read()).disabled, mails()]).toEqual([false, []]);
  });

  it('counts an event once, though everything is published again', async () => {
    const { projectId, read } = await buildProject();
    await sent(projectId, 200);
    await bounced(projectId, 8);
    await counted(projectId, { sent: 200, bounced: 8, complained: 0 });
    for (let round = 0; round < 3; round += 1) await sending.repeatAll();
    for (const name of ['sent', 'bounced']) await sending.taken(`gateway-reputation-sending-email-${name}`);
    await counted(projectId, { sent: 200, bounced: 8, complained: 0 });
    expect((await read()).disabled).toBe(false);
  });

  it('begins anew when the operator enables the project', async () => {
    const { projectId, read } = await buildProject();
    await sent(projectId, 100, { hoursAgo: 2 });
    await counted(projectId, { sent: 100, bounced: 0, complained: 0 });
    await bounced(projectId, 10, { hoursAgo: 2 });
    await eventually(async () => (await read()).disabled, 'it is disabled');
    await suite.bus.call(projects.enable, operatorOf(projectId), { id: projectId });
    await bounced(projectId, 1);
    await evaluated(projectId);
    expect((await read()).disabled).toBe(false);
  });
});

describe('a verdict', () => {
  it('waits while what was sent is still counted, because its events may be late', async () => {
    const { projectId, read } = await buildProject();
    await sent(projectId, 100);
    await counted(projectId, { sent: 100, bounced: 0, complained: 0 });
    await suite.database.query(
      `CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.due_at := now() + interval ''1 hour''; RETURN NEW; END'`,
    );
    await suite.database.query(
      `CREATE TRIGGER wait_long BEFORE INSERT ON work_items FOR EACH ROW WHEN (NEW.key = 'confirm' AND NEW.project_id = '${projectId}') EXECUTE FUNCTION wait_long()`,
    );
    await bounced(projectId, 12);
    const confirmAt = (at: string) =>
      suite.database.query<{ id: string }>(
        `UPDATE work_items SET due_at = ${at} WHERE kind = 'gateway.reputation' AND project_id = $1 AND key = 'confirm' AND state = 'WAITING' RETURNING id`,
        [projectId],
      );
    await eventually(
      async () => (await confirmAt(`now() + interval '1 hour'`)).length > 0,
      'a verdict to confirm',
    );
    await sent(projectId, 400);
    await counted(projectId, { sent: 500, bounced: 12, complained: 0 });
    await confirmAt('now()');
    await evaluated(projectId);
    expect((await read()).disabled).toBe(false);
  });

  it('counts what the mail server refused as sent', async () => {
    const { projectId, read } = await buildProject();
    await sending.publish(
      emailEvents.bounced,
      projectId,
      items(100).map((item) => ({ ...item, bounceType: 'Permanent' as const, refused: true, reason: null })),
    );
    await eventually(async () => (await read()).disabled, 'it is disabled');
  });

  it('is given when enough was sent', async () => {
    const { projectId, read } = await buildProject();
    await sent(projectId, 60);
    await bounced(projectId, 30);
    await evaluated(projectId);
    expect((await read()).disabled).toBe(false);
    await sent(projectId, 60);
    await eventually(async () => (await read()).disabled, 'it is disabled');
  });
});

describe('the verdict', () => {
  it.each([
    [{ sent: 99, bounced: 99, complained: 99 }, 'GOOD'],
    [{ sent: 100, bounced: 4, complained: 0 }, 'GOOD'],
    [{ sent: 100, bounced: 5, complained: 0 }, 'WARNING'],
    [{ sent: 100, bounced: 10, complained: 0 }, 'DISABLED'],
    [{ sent: 1_000, bounced: 0, complained: 1 }, 'WARNING'],
    [{ sent: 2_000, bounced: 0, complained: 1 }, 'GOOD'],
    [{ sent: 2_000, bounced: 0, complained: 3 }, 'DISABLED'],
    [{ sent: 100, bounced: 0, complained: 0 }, 'GOOD'],
  ] as const)('on %j is %s', (counts, verdict) => {
    expect(verdictOf(counts)).toBe(verdict);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emails, overdueMail, serviceCaller, noProject } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { LeasesRepository } from '../claiming/leases.repository.js';
import { lanes } from '../delivery-states.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';

let suite: SendingSuite;
let project: Awaited<ReturnType<SendingSuite['buildProject']>>;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());
beforeEach(async () => {
  await suite.database.query(`DELETE FROM deliveries`);
  project = await suite.buildProject();
});

/** Its renewals are too rare to say that the database is in use. */
const paused = { DELIVERY_PAUSED: 'true', LEASE_SECONDS: '600' };
const operator = serviceCaller('suite', noProject);
const accept = async (to: string) =>
  (await suite.bus.call(emails.accept, project.caller, buildSend(project.domain, { to }))).emails[0]!.id;
const held = () => suite.bus.call(overdueMail.held, operator, {});
const mailTo = (to: string) => suite.sink.messages.filter((message) => message.to === to).length;
const arrived = (to: string) => eventually(async () => mailTo(to) === 1, `${to} has arrived`);

/** Mail that was queued when everything stopped, hours ago. */
async function stoppedWith(addresses: string[], change: string): Promise<void> {
  await suite.restart(paused);
  for (const to of addresses) await accept(to);
  await suite.database.query(
    `UPDATE deliveries SET due_at = now() - interval '5 hours' WHERE project_id = $1`,
    [project.projectId],
  );
  await suite.database.query(`UPDATE installation SET ${change}`);
  await suite.restart();
}

describe('overdue mail', () => {
  it('leaves as usual after a short outage', async () => {
    await stoppedWith(['short@sink.test'], `alive_at = now() - interval '5 hours'`);
    await arrived('short@sink.test');
    expect(await held()).toEqual({ count: 0, oldestDueAt: null, projects: [] });
  });

  it.each([
    ['after a long outage', `alive_at = now() - interval '7 hours'`],
    ['on a restored copy of the database', `database_identity = 'another'`],
  ])('is held %s until it is released, while new mail leaves', async (when, change) => {
    const name = when.length;
    const overdue = [`one-${name}@sink.test`, `two-${name}@sink.test`];
    await stoppedWith(overdue, change);
    await accept(`new-${name}@sink.test`);
    await arrived(`new-${name}@sink.test`);
    expect(await held()).toMatchObject({ count: 2, projects: [{ projectId: project.projectId, count: 2 }] });
    expect(overdue.map(mailTo)).toEqual([0, 0]);
    expect(await suite.bus.call(overdueMail.release, operator, {})).toEqual({ changed: 2, left: 0 });
    for (const to of overdue) await arrived(to);
    // The next start finds nothing to hold.
    await suite.restart();
    expect(await held()).toMatchObject({ count: 0 });
  });

  it('fails where the operator drops it', async () => {
    await stoppedWith(['dropped@sink.test'], `alive_at = now() - interval '7 hours'`);
    await eventually(async () => (await held()).count === 1, 'it is held');
    expect(await suite.bus.call(overdueMail.drop, operator, { projectId: project.projectId })).toEqual({
      changed: 1,
      left: 0,
    });
    const { items } = await suite.bus.call(emails.list, project.caller, { limit: 10 });
    expect(items).toMatchObject([{ status: 'FAILED', failureKind: 'expired' }]);
    expect(mailTo('dropped@sink.test')).toBe(0);
  });

  it('can be cancelled like any other message that has not left', async () => {
    await stoppedWith(['cancelled@sink.test'], `alive_at = now() - interval '7 hours'`);
    await eventually(async () => (await held()).count === 1, 'it is held');
    const { items } = await suite.bus.call(emails.list, project.caller, { limit: 10 });
    await suite.bus.call(emails.cancel, project.caller, { id: items[0]!.id });
    expect((await held()).count).toBe(0);
  });

  it('that was in hand-off when everything stopped is held too', async () => {
    await suite.restart(paused);
    await accept('in-hand-off@sink.test');
    await suite.database.query(
      `WITH dead AS (INSERT INTO workers (id, expires_at) VALUES (uuidv7(), now() - interval '7 hours') RETURNING id)
       UPDATE deliveries SET state = 'HANDOFF', worker_id = dead.id, claims = 1, lease_token = 1 FROM dead WHERE project_id = $1`,
      [project.projectId],
    );
    await suite.database.query(`UPDATE installation SET alive_at = now() - interval '7 hours'`);
    await suite.restart();
    await eventually(async () => (await held()).count === 1, 'it is held');
    // It may have left already, and its lane is never sent twice.
    await suite.database.query(`UPDATE deliveries SET lane = ${lanes.bulk}`);
    expect(await suite.bus.call(overdueMail.release, operator, {})).toEqual({ changed: 1, left: 0 });
    await eventually(async () => {
      const { items } = await suite.bus.call(emails.list, project.caller, { limit: 10 });
      return items[0]!.failureKind === 'delivery_unconfirmed';
    }, 'it fails');
    expect(mailTo('in-hand-off@sink.test')).toBe(0);
  });

  it('that is released is retried like new mail, however old it is', async () => {
    const to = 'refuse-450-times-1@sink.test';
    await stoppedWith([to], `alive_at = now() - interval '30 hours'`);
    await suite.database.query(
      `UPDATE emails SET created_at = now() - interval '30 hours' WHERE project_id = $1`,
      [project.projectId],
    );
    await suite.database.query(
      `UPDATE deliveries SET expires_at = now() - interval '6 hours' WHERE project_id = $1`,
      [project.projectId],
    );
    await eventually(async () => (await held()).count === 1, 'it is held');
    await suite.restart({ RETRY_SECONDS: '1' });
    await suite.bus.call(overdueMail.release, operator, {});
    await arrived(to);
  });

  it('is found although a worker tried to renew its lost lease before', async () => {
    await suite.restart(paused);
    await eventually(
      async () => (await suite.database.query(`SELECT 1 FROM workers WHERE expires_at > now()`)).length > 0,
      'begun',
    );
    await suite.database.query(`UPDATE installation SET alive_at = now() - interval '7 hours'`);
    expect(await new LeasesRepository(suite.database).renew(newId(), 1_000)).toBe(false);
    const [row] = await suite.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM now() - alive_at)::float8 AS seconds FROM installation`,
    );
    expect(row!.seconds).toBeGreaterThan(6 * 3_600);
  });
});

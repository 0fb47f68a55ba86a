import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  noProject,
  emails,
  projects,
  senderNotVerified,
  systemProjectId,
  type AcceptSend,
  type AcceptedEmails,
} from '@posthorn/contracts';
import { eventually, standIn } from '@posthorn/testing';
import { operatorOf } from '../testing/gateway-suite.js';
import { startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';
import { systemMailWork } from './system-mails.repository.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const waiting = () =>
  suite.database.query<{ id: string; failures: number }>(
    `SELECT m.id, i.failures FROM system_mails m JOIN work_items i ON i.kind = $1 AND i.key = m.id::text ORDER BY m.id`,
    [systemMailWork.name],
  );
const request = (email: string) =>
  suite.visitor().post('/api/auth/sign-up/email', { name: 'Ada', email, password: 'correct horse battery' });
// The stand-in handles one item at a time.
const accept = { ...emails.accept, batch: false };
const receipt = ({ recipients }: AcceptSend): AcceptedEmails => ({
  emails: recipients.map(({ id, to }) => ({
    id,
    to: to.email,
    from: 'hello@posthorn.example.test',
    contactId: null,
  })),
  acceptedAt: new Date(),
});
const gone = () => eventually(async () => (await waiting()).length === 0, 'all are accepted');

it('belongs to a project of its own, which services know', async () => {
  const project = await suite.bus.call(projects.get, operatorOf(systemProjectId), { id: systemProjectId });
  expect(project).toMatchObject({ name: 'Posthorn', disabled: false, seq: 1 });
});

it('waits sealed while sending is unavailable, and is accepted under the id and key of its row', async () => {
  await request('away@example.com');
  const [row] = await eventually(async () => {
    const rows = await waiting();
    return rows[0]?.failures ? rows : null;
  }, 'it was attempted');
  const taken: AcceptSend[] = [];
  const stop = await standIn(suite.connection, accept, async (send) => {
    taken.push(send);
    return receipt(send);
  });
  await gone();
  await stop();
  expect(taken).toMatchObject([
    {
      from: { email: 'hello@posthorn.example.test', name: 'Posthorn' },
      recipients: [{ id: row!.id, to: { email: 'away@example.com' } }],
      idempotency: { key: row!.id },
    },
  ]);
});

it('is sent again under the same id if the reply or the removal was lost', async () => {
  const ids: string[] = [];
  await suite.database.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''the removal is lost''; END'`);
  await suite.database.query(
    `CREATE TRIGGER lost BEFORE DELETE ON system_mails FOR EACH ROW EXECUTE FUNCTION lose()`,
  );
  const stop = await standIn(suite.connection, accept, async (send) => {
    ids.push(send.recipients[0]!.id);
    if (ids.length === 1) throw senderNotVerified();
    return receipt(send);
  });
  await request('lost@example.com');
  await eventually(async () => (await waiting())[0]?.failures === 2, 'it was repeated');
  await suite.database.query(`DROP TRIGGER lost ON system_mails`);
  await gone();
  await stop();
  expect(ids.length).toBeGreaterThanOrEqual(3);
  expect(new Set(ids).size).toBe(1);
});

it('is dropped after a day, without traces', async () => {
  await request('late@example.com');
  const [mail] = await eventually(async () => {
    const rows = await waiting();
    return rows[0]?.failures ? rows : null;
  }, 'it was attempted');
  await suite.database.query(`UPDATE system_mails SET created_at = created_at - interval '25 hours'`);
  await suite.queue.enqueue(systemMailWork, [{ projectId: noProject, key: mail!.id }]);
  await gone();
  expect(await suite.database.query(`SELECT 1 FROM system_mails`)).toEqual([]);
});

it('is stored in the transaction of its cause or not at all', async () => {
  const before = await waiting();
  await suite.database.query(
    `ALTER TABLE auth_accounts ADD CONSTRAINT nobody CHECK ("accountId" = '') NOT VALID`,
  );
  expect((await request('rolled-back@example.com')).status).toBeGreaterThanOrEqual(400);
  await suite.database.query(`ALTER TABLE auth_accounts DROP CONSTRAINT nobody`);
  expect(
    await suite.database.query(`SELECT 1 FROM auth_users WHERE email = 'rolled-back@example.com'`),
  ).toEqual([]);
  expect(await waiting()).toEqual(before);
});

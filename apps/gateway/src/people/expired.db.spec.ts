import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { ExpiredRepository } from './expired.repository.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
  await eventually(
    async () =>
      (
        await suite.database.query(
          `SELECT 1 FROM work_items WHERE kind = 'gateway.chores' AND due_at > now() + interval '1 minute'`,
        )
      ).length > 0,
    'the first round of the service itself is over',
  );
});
afterAll(() => suite.stop());

it('an account that was never confirmed is removed after a week, unless it belongs to a project', async () => {
  const { projectId } = await suite.buildProject();
  const build = async (name: string, verified: boolean, days: number) => {
    const email = `${name}-${newId()}@example.com`;
    const { userId } = await suite.buildUser({ email, verified });
    await suite.database.query(
      `UPDATE auth_users SET "createdAt" = now() - make_interval(days => $2) WHERE id = $1`,
      [userId, days],
    );
    return userId;
  };
  const [, ...kept] = [
    await build('forgotten', false, 8),
    await build('fresh', false, 6),
    await build('confirmed', true, 8),
    await build('member', false, 8),
  ];
  await suite.database.query(
    `INSERT INTO members (project_id, user_id, role, created_at) VALUES ($1, $2, 'OWNER', now())`,
    [projectId, kept[2]],
  );
  await new ExpiredRepository(suite.database).forget();
  const left = await suite.database.query<{ id: string }>(
    `SELECT id FROM auth_users WHERE email ~ '^(forgotten|fresh|confirmed|member)-' ORDER BY id`,
  );
  expect(left.map(({ id }) => id)).toEqual(kept.toSorted());
});

it('thousands of accounts that were never confirmed are removed by statements that each remove few', async () => {
  const left = async () =>
    (await suite.database.query(`SELECT 1 FROM auth_users WHERE email LIKE 'bot-%'`)).length;
  await suite.database.query(
    `INSERT INTO auth_users (id, name, email, "emailVerified", "createdAt")
     SELECT gen_random_uuid(), '', 'bot-' || n || '@example.com', false, now() - interval '8 days' FROM generate_series(1, 12000) AS n`,
  );
  await suite.database.query(`CREATE TABLE removals (count int)`);
  await suite.database.query(`
    CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO removals SELECT count(*) FROM gone; RETURN NULL; END'`);
  await suite.database.query(`
    CREATE TRIGGER note_removal AFTER DELETE ON auth_users REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_removal()`);
  const expired = new ExpiredRepository(suite.database);
  expect(await expired.forget()).toBe(false);
  expect(await left()).toBe(2_000);
  expect(await expired.forget()).toBe(true);
  expect(await left()).toBe(0);
  const [row] = await suite.database.query<{ most: number }>(`SELECT max(count) AS most FROM removals`);
  expect(row!.most).toBe(500);
});

it('what refers to an account is found by an index when the account is removed', async () => {
  const unindexed = await suite.database.query(
    `SELECT conrelid::regclass::text AS "table", conname AS "constraint" FROM pg_constraint
     WHERE contype = 'f' AND confrelid = 'auth_users'::regclass AND NOT EXISTS (
       SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1] AND indisvalid)`,
  );
  expect(unindexed).toEqual([]);
});

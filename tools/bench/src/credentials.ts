import { createHmac, hash, randomBytes, randomUUID } from 'node:crypto';
import { apiKeys, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { Secrets } from '@posthorn/platform';
import type pg from 'pg';
import { databaseOf, inDatabase } from './databases.js';
import { benchSecret, type Servers } from './product.js';

/** Further keys of a project, made as an operator would. */
export async function makeKeys({ natsUrl }: Servers, projectId: string, count: number): Promise<string[]> {
  const connection = await BusConnection.open({ url: natsUrl, name: 'bench' });
  const caller: Caller = { projectId, actor: { kind: 'OPERATOR', id: 'bench' } };
  const bus = new Bus(connection);
  const tokens: string[] = [];
  while (tokens.length < count)
    tokens.push((await bus.call(apiKeys.create, caller, { name: 'bench' }, { timeoutMs: 20_000 })).token);
  await connection.close();
  return tokens;
}

/** The cookie of a member of the project, as signing in would leave it. */
export async function makeSession(servers: Servers, projectId: string): Promise<string> {
  const [userId, token] = [randomUUID(), randomBytes(24).toString('base64url')];
  const sealed = await inGateway(servers, async (client) => {
    await client.query(
      `INSERT INTO auth_users (id, name, email, "emailVerified") VALUES ($1, 'Bench', $2, true)`,
      [userId, `${userId}@bench.test`],
    );
    await client.query(
      `INSERT INTO members (project_id, user_id, role, created_at) VALUES ($1, $2, 'OWNER', now())`,
      [projectId, userId],
    );
    await client.query(
      `INSERT INTO auth_sessions (id, token, "userId", "expiresAt", "updatedAt") VALUES (gen_random_uuid(), $1, $2, now() + interval '1 day', now())`,
      [hash('sha256', token, 'hex'), userId],
    );
    return (await client.query<{ sealed: string }>(`SELECT sealed FROM auth_secrets`)).rows[0]!.sealed;
  });
  const location = { table: 'auth_secrets', projectId: null, id: '00000000-0000-0000-0000-000000000001' };
  const secret = new Secrets([benchSecret]).open(sealed, location);
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}

/** So many keys that nobody uses, all of one project; none takes them out again. */
export async function fillKeys(servers: Servers, projectId: string, count: number): Promise<void> {
  await inGateway(servers, async (client) => {
    await client.query(`DELETE FROM api_keys WHERE name = 'filling'`);
    await client.query(
      `INSERT INTO api_keys (project_id, id, name, token_hash, last_four, legacy_grant_preset, mode, scopes, created_at)
       SELECT $1, gen_random_uuid(), 'filling', encode(sha256(('filling ' || n)::bytea), 'hex'), '0000', 'FULL', 'LIVE', '{}', now()
       FROM generate_series(1, $2::int) AS n`,
      [projectId, count],
    );
    await client.query('VACUUM ANALYZE api_keys');
    // What the filling leaves to be written must not be written while something is measured.
    await client.query('CHECKPOINT');
  });
}

/** An idle connection of Postgres tells its numbers within ten seconds. */
export const untilReportedMs = 11_000;

/** Transactions of the gateways' database until now: each of their statements outside a transaction is one. */
export async function gatewayCommits(servers: Servers): Promise<number> {
  return inGateway(servers, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()`,
    );
    return rows[0]!.n;
  });
}

const inGateway = <T>({ databaseUrl }: Servers, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  inDatabase(databaseOf(databaseUrl, 'gateway'), work);

import { createHmac, hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeys } from '@posthorn/contracts';
import { Secrets } from '@posthorn/platform';
import { makeSendingProject } from '@posthorn/testing';
import autocannon from 'autocannon';
import type pg from 'pg';
import { Api } from './audience/api.js';
import { agree, type Bench } from './bench.js';
import { databaseOf, inDatabase } from './databases.js';
import { besides, loadAll, measured, warmSeconds, type Requests } from './load.js';
import { benchMail } from './mail.js';
import { benchLimit, benchSecret, OneProcess, Product, type Servers } from './product.js';
import { asOperator } from './sending/project.js';

const connections = 16;
const senders = 50;
const readers = 10;
const manyKeys = 100_000;

/** What knowing who asks costs: two gateways with the limiter beside two without, and one caller beside others. */
export async function benchEdge(bench: Bench): Promise<void> {
  const changes = { DELIVERY_PAUSED: 'true' };
  const work = async (product: Product) => {
    const free = await Promise.all(
      [3, 4].map((replica) => product.addGateway({ ...changes, RATE_LIMIT_ENABLED: 'false' }, replica)),
    );
    await compare(bench, product.gatewayUrls, free);
    await agree(bench.servers);
  };
  await Product.during(bench.servers, changes, work, { gateway: 2 });
  await benchWrongTokens(bench);
}

async function compare(bench: Bench, limited: string[], free: string[]): Promise<void> {
  const { servers } = bench;
  const { projectId, token } = await makeSendingProject(servers.natsUrl, 'edge', benchLimit);
  const keys = [token, ...(await makeKeys(servers, projectId, senders - 1))];
  const ofAccepts = `accepts/s at ${connections} connections, ${senders} keys, limiter on, two gateways, beside one key without limiter`;
  await besides(bench, ofAccepts, 85, [
    { urls: limited, requests: accepts(keys) },
    { urls: free, requests: accepts([token]) },
  ]);
  const urls = limited.slice(0, 1);
  const path = await aContact(urls[0]!, token);
  const headers = { cookie: await makeSession(servers, projectId), 'x-project-id': projectId };
  await besides(bench, 'GET/s of one contact with a session, beside a key', 80, [
    { urls, requests: () => ({ method: 'GET', path, headers }) },
    { urls, requests: reads(path, [token]) },
  ]);
  await countStatements(bench, free, path, keys);
  const requests = reads(path, keys.slice(0, readers));
  const among = (count: number) => ({ urls, requests, before: () => fillKeys(servers, projectId, count) });
  const ofTables = `GET/s of ${readers} keys among ${manyKeys}, beside ${readers} alone`;
  await besides(bench, ofTables, 95, [among(manyKeys), among(0)]);
}

async function countStatements(
  { servers, scale, rows }: Bench,
  urls: string[],
  path: string,
  keys: string[],
): Promise<void> {
  const requests = reads(path, keys);
  await loadAll(urls, connections, warmSeconds, requests);
  const [{ accepted }, statements] = await statementsOf(servers, scale.seconds, () =>
    measured(urls, connections, scale.seconds, requests),
  );
  rows.push({
    name: `statements of the gateways for one of ${accepted} requests of ${keys.length} keys`,
    product: statements / accepted,
    ceiling: 0.1,
  });
}

/** An idle connection of Postgres tells its numbers within ten seconds. */
const untilReportedMs = 11_000;

/** What the gateways ask by themselves in as much time, whether requests come or not, is taken off. */
async function statementsOf<T>(
  servers: Servers,
  seconds: number,
  work: () => Promise<T>,
): Promise<[result: T, statements: number]> {
  await delay(untilReportedMs);
  const before = await gatewayCommits(servers);
  await delay(seconds * 1_000 + untilReportedMs);
  const between = await gatewayCommits(servers);
  const result = await work();
  await delay(untilReportedMs);
  const after = await gatewayCommits(servers);
  return [result, Math.max(0, after - between - (between - before))];
}

async function aContact(url: string, token: string): Promise<string> {
  const { data } = await new Api(url, token).get<{ data: { id: string }[] }>('/api/v1/contacts?limit=1');
  return `/api/v1/contacts/${data[0]!.id}`;
}

let location = 0;
const inTurn = (tokens: readonly string[]): { authorization: string } => ({
  authorization: `Bearer ${tokens[location++ % tokens.length]!}`,
});

const reads =
  (path: string, tokens: readonly string[]): Requests =>
  () => ({ method: 'GET', path, headers: inTurn(tokens) });

const accepts =
  (tokens: readonly string[]): Requests =>
  () => ({
    method: 'POST',
    path: '/api/v1/emails',
    headers: { 'content-type': 'application/json', ...inTurn(tokens) },
    body: JSON.stringify({ ...benchMail(location), to: `edge-${location}@bench.test` }),
  });

/** No token, and one whose end was guessed wrong. */
const wrong = ['sk_live_wrong', `sk_live_${'A'.repeat(43)}`];

/** Somebody who guesses keys as fast as they can: what is answered, and what it costs. */
async function benchWrongTokens({ servers, scale, rows }: Bench): Promise<void> {
  const one = await OneProcess.start(servers, { DELIVERY_PAUSED: 'true' });
  try {
    await guess(one.url, 2);
    const megabytes = one.megabytes;
    const [{ answered, perSecond }, looks] = await statementsOf(servers, scale.seconds, () =>
      guess(one.url, scale.seconds),
    );
    const growth = one.megabytes - megabytes;
    rows.push(
      { name: 'wrong tokens/s answered by the one process', product: perSecond, floor: 10_000 },
      { name: `statements for one of ${answered} wrong tokens`, product: looks / answered, ceiling: 0.001 },
      { name: 'growth while they were answered, MB', product: growth, ceiling: 50 },
    );
  } finally {
    await one.stop();
  }
}

async function guess(url: string, seconds: number): Promise<{ answered: number; perSecond: number }> {
  const answers = await autocannon({
    url: `${url}/api/v1/contacts`,
    connections: 32,
    pipelining: 8,
    duration: seconds,
    requests: wrong.map((token) => ({ headers: { authorization: `Bearer ${token}` } })),
  });
  const refused = answers['4xx'];
  if (answers.errors > 0 || refused < answers.requests.total)
    throw new Error(`${answers.requests.total - refused} wrong tokens were not refused`);
  return { answered: refused, perSecond: refused / answers.duration };
}

/** Further keys of a project, made as an operator would. */
const makeKeys = ({ natsUrl }: Servers, projectId: string, count: number): Promise<string[]> =>
  asOperator(natsUrl, projectId, async (bus, caller) => {
    const tokens: string[] = [];
    while (tokens.length < count)
      tokens.push((await bus.call(apiKeys.create, caller, { name: 'bench' }, { timeoutMs: 20_000 })).token);
    return tokens;
  });

/** The cookie of a member of the project, as signing in would leave it. */
async function makeSession(servers: Servers, projectId: string): Promise<string> {
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
async function fillKeys(servers: Servers, projectId: string, count: number): Promise<void> {
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

/** Transactions of the gateways' database until now: each of their statements outside a transaction is one. */
async function gatewayCommits(servers: Servers): Promise<number> {
  return inGateway(servers, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()`,
    );
    return rows[0]!.n;
  });
}

const inGateway = <T>({ databaseUrl }: Servers, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  inDatabase(databaseOf(databaseUrl, 'gateway'), work);

import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import { fillKeys, gatewayCommits, makeKeys, makeSession, untilReportedMs } from './credentials.js';
import { agree, type Bench } from './bench.js';
import { loadAll } from './load.js';
import { benchMail } from './mail.js';
import { Product, benchLimit } from './product.js';
import { measured, takingTurns, warmSeconds, type Requests } from './turns.js';
import { benchWrongTokens } from './wrong-tokens.js';

const connections = 16;
const senders = 50;
const readers = 10;
const manyKeys = 100_000;

/** What knowing who asks costs: two gateways with the limiter beside two without, and one caller beside others. */
export async function benchEdge(bench: Bench): Promise<void> {
  const { servers } = bench;
  const changes = { DELIVERY_PAUSED: 'true' };
  const product = await Product.start(servers, changes, { gateway: 2 });
  const free = await Promise.all(
    [3, 4].map((replica) => product.addGateway({ ...changes, RATE_LIMIT_ENABLED: 'false' }, replica)),
  );
  try {
    const { projectId, token } = await makeSendingProject(servers.natsUrl, 'edge', benchLimit);
    const keys = [token, ...(await makeKeys(servers, projectId, senders - 1))];
    const limited = product.gatewayUrls;
    await compareAccepts(bench, limited, free, keys);
    const path = await aContact(limited[0]!, token);
    const cookie = await makeSession(servers, projectId);
    await compareSession(bench, limited[0]!, path, { token, headers: { cookie, 'x-project-id': projectId } });
    await countStatements(bench, free, path, keys);
    await compareTables(bench, limited[0]!, path, { projectId, keys: keys.slice(0, readers) });
    await agree(servers);
  } finally {
    await product.stop();
  }
  await benchWrongTokens(bench);
}

async function compareAccepts(
  bench: Bench,
  limited: string[],
  free: string[],
  keys: string[],
): Promise<void> {
  const fixed = accepts([keys[0]!]);
  await takingTurns(bench, connections, [
    { urls: limited, requests: accepts(keys) },
    { urls: free, requests: fixed },
  ]).then(([product, reference]) =>
    bench.rows.push({
      name: `accepts/s at ${connections} connections, ${senders} keys, limiter on, two gateways, beside one key without limiter`,
      product: product!,
      reference: reference!,
      floorPercent: 85,
    }),
  );
}

async function compareSession(
  bench: Bench,
  url: string,
  path: string,
  { token, headers }: { token: string; headers: Record<string, string> },
): Promise<void> {
  const [product, reference] = await takingTurns(bench, connections, [
    { urls: [url], requests: () => ({ method: 'GET', path, headers }) },
    { urls: [url], requests: reads(path, [token]) },
  ]);
  bench.rows.push({
    name: 'GET/s of one contact with a session, beside a key',
    product: product!,
    reference: reference!,
    floorPercent: 80,
  });
}

/** What the gateways ask by themselves, whether requests come or not, is taken off. */
async function countStatements(
  { servers, scale, rows }: Bench,
  urls: string[],
  path: string,
  keys: string[],
): Promise<void> {
  const requests = reads(path, keys);
  await loadAll(urls, connections, warmSeconds, requests);
  await delay(untilReportedMs);
  const counts = [await gatewayCommits(servers)];
  await delay(scale.seconds * 1_000 + untilReportedMs);
  counts.push(await gatewayCommits(servers));
  const { accepted } = await measured(urls, connections, scale.seconds, requests);
  await delay(untilReportedMs);
  counts.push(await gatewayCommits(servers));
  const [before, between, after] = counts as [number, number, number];
  const statements = after - between - (between - before);
  rows.push({
    name: `statements of the gateways for one of ${accepted} requests of ${keys.length} keys`,
    product: Math.max(0, statements) / accepted,
    ceiling: 0.1,
  });
}

async function compareTables(
  bench: Bench,
  url: string,
  path: string,
  { projectId, keys }: { projectId: string; keys: string[] },
): Promise<void> {
  const requests = reads(path, keys);
  const table = (count: number) => () => fillKeys(bench.servers, projectId, count);
  const [product, reference] = await takingTurns(bench, connections, [
    { urls: [url], requests, before: table(manyKeys) },
    { urls: [url], requests, before: table(0) },
  ]);
  bench.rows.push({
    name: `GET/s of ${readers} keys among ${manyKeys}, beside ${readers} alone`,
    product: product!,
    reference: reference!,
    floorPercent: 95,
  });
}

async function aContact(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/contacts?limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await answer.json()) as { data: { id: string }[] };
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

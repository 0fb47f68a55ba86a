import autocannon from 'autocannon';
import { waitMs, type Bench } from './bench.js';
import { benchMail } from './mail.js';

export interface LoadResult {
  perSecond: number;
  p99: number;
  accepted: number;
  failed: number;
}

let location = 0;

/** Sends through the front door for a while; every message has a recipient of its own. */
export function load(url: string, connections: number, seconds: number, token?: string): Promise<LoadResult> {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const headers = { 'content-type': 'application/json', ...authorization };
  return loadAll([url], connections, seconds, () => ({
    method: 'POST',
    path: '/api/v1/emails',
    headers,
    body: JSON.stringify(benchMail(location++)),
  }));
}

/** One request of many, each with what it shows. */
export interface Requested {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The same load on several gateways at once, as a balancer would spread it. */
export async function loadAll(
  urls: readonly string[],
  connections: number,
  seconds: number,
  requested: () => Requested,
): Promise<LoadResult> {
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({
        url,
        connections: connections / urls.length,
        duration: seconds,
        requests: [{ setupRequest: (request) => ({ ...request, ...requested() }) }],
      }),
    ),
  );
  const sum = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    perSecond: sum((result) => (result['2xx'] + result['3xx']) / result.duration),
    p99: Math.max(...results.map(({ latency }) => latency.p99)),
    accepted: sum((result) => result['2xx'] + result['3xx']),
    failed: sum((result) => result.non2xx - result['3xx'] + result.errors),
  };
}

const recipientsInOne = 50;
const atOnce = 6;

/** Makes a backlog, fifty recipients a request; every one is a contact of its own. */
export async function fill(
  url: string,
  token: string,
  count: number,
  texts?: object,
  recipient = () => benchMail(location++).to,
): Promise<void> {
  let left = Math.ceil(count / recipientsInOne);
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await fillOnce(url, token, recipient, texts);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function fillOnce(url: string, token: string, recipient: () => string, texts?: object): Promise<void> {
  const to = Array.from({ length: recipientsInOne }, recipient);
  const { subject, body, text } = benchMail(location);
  for (;;) {
    const answer = await fetch(`${url}/api/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, ...(texts ?? { subject, body, text }) }),
    });
    const output = await answer.text();
    if (answer.ok) return;
    // A machine that is busy with the backlog may ask for patience; anything else is a mistake of the bench.
    if (answer.status !== 503) throw new Error(`${answer.status} ${output}`);
  }
}

export type Requests = () => Requested;

interface Side {
  urls: string[];
  requests: Requests;
  /** Messages in one request. */
  each?: number;
  before?: () => Promise<void>;
}

export const warmSeconds = 3;
const turnsInRound = 4;
const connectionsOfSides = 16;

/** The sides take short turns, each first as often as the others, so that they share the machine's moods; the middle of each. */
export async function takingTurns({ scale }: Bench, connections: number, sides: Side[]): Promise<number[]> {
  const rates: number[][] = sides.map(() => []);
  for (const { urls, requests } of sides) await loadAll(urls, connections, warmSeconds, requests);
  for (let turn = 0; turn < scale.rounds * turnsInRound; turn += 1) {
    const order = [...sides.entries()];
    for (const [index, { urls, requests, before, each = 1 }] of turn % 2 ? order.reverse() : order) {
      await before?.();
      const rate = await measured(urls, connections, scale.seconds / turnsInRound, requests);
      rates[index]!.push(rate.perSecond * each);
    }
  }
  return rates.map(waitMs);
}

/** One side beside the other, as a row. */
export async function besides(
  bench: Bench,
  name: string,
  floorPercent: number,
  sides: [ours: Side, theirs: Side],
): Promise<void> {
  const [product, reference] = await takingTurns(bench, connectionsOfSides, sides);
  bench.rows.push({ name, product: product!, reference: reference!, floorPercent });
}

export async function measured(
  urls: string[],
  connections: number,
  seconds: number,
  requests: Requests,
): Promise<{ perSecond: number; accepted: number }> {
  const { failed, ...result } = await loadAll(urls, connections, seconds, requests);
  if (failed > 0) throw new Error(`${failed} of ${result.accepted + failed} requests failed`);
  return result;
}

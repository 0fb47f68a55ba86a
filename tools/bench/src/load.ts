import autocannon from 'autocannon';
import { benchMail } from './mail.js';

export interface LoadResult {
  perSecond: number;
  p99: number;
  accepted: number;
  failed: number;
}

let location = 0;

/** Sends through the front door for a while; every message has a recipient of its own. */
export async function load(
  url: string,
  connections: number,
  seconds: number,
  token?: string,
): Promise<LoadResult> {
  const result = await autocannon({
    url: `${url}/api/v1/emails`,
    connections,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(benchMail(location++)) }) }],
  });
  const accepted = result['2xx'];
  return {
    perSecond: accepted / result.duration,
    p99: result.latency.p99,
    accepted,
    failed: result.non2xx + result.errors,
  };
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

import autocannon from 'autocannon';
import { benchMail } from './mail.js';

export interface LoadResult {
  perSecond: number;
  p99: number;
  accepted: number;
  failed: number;
}

let place = 0;

/** Sends through the front door for a while; every message has a recipient of its own. */
export async function load(url: string, connections: number, seconds: number, token?: string): Promise<LoadResult> {
  const result = await autocannon({
    url: `${url}/api/v1/emails`,
    connections,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(benchMail(place++)) }) }],
  });
  const accepted = result['2xx'];
  return { perSecond: accepted / result.duration, p99: result.latency.p99, accepted, failed: result.non2xx + result.errors };
}

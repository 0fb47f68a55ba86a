import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeys } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { mintToken } from '../api-keys/api-key-token.js';
import {
  operatorOf,
  startGatewaySuite,
  type GatewaySuite,
  type Published,
} from '../testing/gateway-suite.js';
import { buildUser, cookieOf, peopleSecretOf, signIn } from '../testing/people.js';

const most = 20;
let suite: GatewaySuite;
let projectId: string;
let key: string;
let address = 0;

beforeAll(async () => {
  suite = await startGatewaySuite(
    {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_SECRET_PER_SECOND: '100000',
      FAILED_ATTEMPTS_PER_MINUTE: String(most),
      TRUSTED_PROXIES: '127.0.0.1',
      ANSWER_WITHIN_MS: '8000',
    },
    { breakable: true },
  );
  ({ projectId } = await suite.buildProject());
  key = (await suite.buildKey(projectId)).token;
});
afterAll(() => suite.stop());

/** Uses another client address on each call. */
const client = () => {
  address += 1;
  const from = `198.51.100.${address}`;
  return (path: string, headers: Record<string, string> = {}): Promise<Published> =>
    suite.request('GET', path, { headers: { 'x-forwarded-for': from, ...headers } });
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Number of scans of the key table. */
async function looksAtKeys(): Promise<number> {
  const [row] = await suite.database.query<{ looks: number }>(
    `SELECT (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::float8 AS looks FROM pg_stat_user_tables WHERE relname = 'api_keys'`,
  );
  return row!.looks;
}

describe('a client address with invalid credentials', () => {
  it('is refused in the dialect after the limit, until its minute has passed', async () => {
    const request = client();
    for (let tries = 0; tries < most; tries += 1)
      expect((await request('/api/v1/contacts', bearer(mintToken('FULL', 'LIVE')))).status).toBe(401);
    const refused = async (path: string) => ({
      ...(await request(path, bearer('sk_live_wrong'))),
      seconds: Date.now() / 1_000,
    });
    const v1 = await refused('/api/v1/contacts');
    expect([v1.status, v1.json['code'], v1.headers.get('content-type')]).toEqual([
      429,
      'rate_limited',
      'application/problem+json',
    ]);
    expect(v1.json['detail']).toMatch(
      new RegExp(
        `^An address may make ${most} requests with invalid credentials per minute; try again in \\d+ seconds?$`,
      ),
    );
    const legacy = await refused('/api/contacts');
    expect([legacy.status, legacy.json]).toMatchObject([
      429,
      { success: false, error: { code: 'RATE_LIMITED' } },
    ]);
    for (const { headers, seconds } of [v1, legacy]) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        String(most),
        '0',
      ]);
      expect(
        Math.abs(Number(headers.get('x-ratelimit-reset')) - seconds - Number(headers.get('retry-after'))),
      ).toBeLessThan(3);
    }
    expect((await client()('/api/v1/contacts', bearer('sk_live_wrong'))).status).toBe(401);
  });

  it('is refused for invalid cookies as for invalid keys', async () => {
    const request = client();
    const secret = await peopleSecretOf(suite.database);
    for (let tries = 0; tries < most; tries += 1)
      expect((await request('/api/contacts', { cookie: cookieOf('no-session', secret) })).status).toBe(401);
    expect(
      (await request('/api/contacts', { cookie: cookieOf('no-session', 'another secret') })).status,
    ).toBe(429);
  });

  it('may still send requests without credentials, which are 401', async () => {
    const request = client();
    for (let tries = 0; tries < most + 3; tries += 1)
      expect((await request('/api/v1/contacts')).status).toBe(401);
  });

  it('does not affect valid credentials that the gateway knows behind the same address', async () => {
    const request = client();
    const { id, token } = await suite.buildKey(projectId);
    const cookie = await signIn(suite.database, await buildUser(suite.database));
    expect([
      (await request('/api/v1/contacts', bearer(token))).status,
      (await request('/api/v1/contacts', { cookie })).status,
    ]).toEqual([503, 403]);
    for (let tries = 0; tries <= most; tries += 1) await request('/api/v1/contacts', bearer('sk_live_wrong'));
    expect([
      (await request('/api/v1/contacts', bearer(token))).status,
      (await request('/api/v1/contacts', { cookie })).status,
    ]).toEqual([503, 403]);
    await suite.bus.call(apiKeys.revoke, operatorOf(projectId), { id });
    await eventually(
      async () => (await request('/api/v1/contacts', bearer(token))).status === 429,
      'a revoked key counts as a guess',
    );
  });

  it('is taken from trusted proxies only', async () => {
    const [request, other] = [client(), client()];
    for (let tries = 0; tries <= most; tries += 1) await request('/api/v1/contacts', bearer('sk_live_wrong'));
    expect((await request('/api/v1/contacts', { ...bearer('sk_live_wrong') })).status).toBe(429);
    expect((await other('/api/v1/contacts', bearer('sk_live_wrong'))).status).toBe(401);
  });
});

describe('tens of thousands of invalid tokens', () => {
  const atOnce = 100;
  const flood = async (
    count: number,
    tokenOf: () => string,
    requestOf: () => ReturnType<typeof client>,
  ): Promise<number> => {
    const began = performance.now();
    let unavailable = 0;
    for (let requested = 0; requested < count; requested += atOnce) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, () => requestOf()('/api/v1/contacts', bearer(tokenOf()))),
      );
      for (const { status } of answers) {
        expect([401, 429, 503]).toContain(status);
        if (status === 503) unavailable += 1;
      }
    }
    expect(unavailable).toBeLessThan(count / 10);
    return (count * 1_000) / (performance.now() - began);
  };
  const heapMegabytes = (): number => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };

  it('are refused without the database if they are malformed, also during an outage', async () => {
    suite.line.cut();
    for (const token of [
      'sk_live_wrong',
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      'x'.repeat(9_000),
    ])
      expect((await client()('/api/v1/contacts', bearer(token))).status).toBe(401);
    suite.line.fix();
  });

  it('cause a bounded number of scans per address and no memory growth', async () => {
    const request = client();
    await flood(
      1_000,
      () => mintToken('FULL', 'LIVE'),
      () => request,
    );
    await new Promise((next) => setTimeout(next, 1_100));
    const [before, heap] = [await looksAtKeys(), heapMegabytes()];
    const perSecond = await flood(
      10_000,
      () => mintToken('FULL', 'LIVE'),
      () => request,
    );
    await new Promise((next) => setTimeout(next, 1_100));
    const grown = heapMegabytes() - heap;
    process.stderr.write(
      `wrong tokens: ${Math.round(perSecond)}/s answered, the heap grew ${grown.toFixed(1)} MB\n`,
    );
    // The rest is bookkeeping of other keys in the background.
    expect((await looksAtKeys()) - before).toBeLessThan(50);
    expect(grown).toBeLessThan(10);
  });

  it('of many addresses are batched and not kept in memory', async () => {
    const from = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    let position = 0;
    const anybody =
      () =>
      (path: string, headers: Record<string, string> = {}) =>
        suite.request('GET', path, { headers: { 'x-forwarded-for': from((position += 1)), ...headers } });
    await flood(2_500, () => mintToken('FULL', 'LIVE'), anybody);
    const heap = heapMegabytes();
    await flood(5_000, () => mintToken('FULL', 'LIVE'), anybody);
    expect(heapMegabytes() - heap).toBeLessThan(10);
    expect((await client()('/api/v1/contacts', bearer(key))).status).toBe(503);
  });
});

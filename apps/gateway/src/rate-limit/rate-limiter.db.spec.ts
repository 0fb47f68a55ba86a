import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projects } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Metrics } from '@posthorn/telemetry';
import { eventually } from '@posthorn/testing';
import { GatewayConfig } from '../config.js';
import type { RateLimitKey } from '../identity/credential.js';
import type { RunningGateway } from '../service.js';
import { startGatewaySuite, type GatewaySuite, type Published } from '../testing/gateway-suite.js';
import { isExceeded, type RateLimitState } from './rate-limit-state.js';
import { RateLimiter } from './rate-limiter.js';
import { RateWindowsRepository } from './rate-windows.repository.js';

let suite: GatewaySuite;
let other: RunningGateway;
beforeAll(async () => {
  suite = await startGatewaySuite({ RATE_LIMIT_ENABLED: 'true' });
  other = await suite.startAnother();
});
afterAll(() => suite.stop());

const limits = Object.assign(new GatewayConfig(), {
  rateLimitEnabled: true,
  secretPerSecond: 10,
  publicPerSecond: 5,
  answerWithinMs: 60_000,
});
const limiter = () =>
  new RateLimiter(limits, new RateWindowsRepository(suite.database), new Metrics('gateway'));
const credential = (change: Partial<RateLimitKey> = {}) =>
  ({ keyId: newId(), kind: 'SECRET', perSecond: null, ...change }) as RateLimitKey;

/** Number of accepted requests per window. */
function admitted(allowances: RateLimitState[]): number[] {
  const windows = new Map<number, number>();
  for (const state of allowances)
    if (!isExceeded(state)) windows.set(state.resetAt, (windows.get(state.resetAt) ?? 0) + 1);
  return [...windows.values()];
}

/** A busy machine spreads requests over several seconds. */
const windowsOf = (published: readonly Published[]): number =>
  new Set(published.map(({ headers }) => headers.get('x-ratelimit-reset'))).size;

describe('the rate limit', () => {
  it('is shared by all gateways and never exceeded', async () => {
    const [here, there] = [limiter(), limiter()];
    const one = credential();
    const allowances = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 ? here : there).take(one)),
    );
    expect(Math.max(...admitted(allowances))).toBe(10);
    const windows = new Set(allowances.map(({ resetAt }) => resetAt)).size;
    expect(allowances.filter(({ used }) => used <= 10).length).toBeLessThanOrEqual(10 * windows);
    for (const { resetIn } of allowances) expect(resetIn).toBe(1);
  });

  it('counts each key separately, in one statement', async () => {
    const [first, second] = [credential(), credential({ kind: 'PUBLIC' })];
    const here = limiter();
    const allowances = await Promise.all(
      Array.from({ length: 40 }, (_, index) => here.take(index % 2 ? first : second)),
    );
    expect(Math.max(...admitted(allowances.filter(({ limit }) => limit === 10)))).toBe(10);
    expect(Math.max(...admitted(allowances.filter(({ limit }) => limit === 5)))).toBe(5);
  });

  it('reserves a hundredth of a large limit at a time and never exceeds the limit', async () => {
    const [here, there] = [limiter(), limiter()];
    const one = credential({ perSecond: 500 });
    const allowances: RateLimitState[] = [];
    for (let round = 0; round < 40; round += 1) {
      const requested = Array.from({ length: 40 }, (_, index) => (index % 2 ? here : there).take(one));
      allowances.push(...(await Promise.all(requested)));
    }
    expect(Math.max(...admitted(allowances))).toBeLessThanOrEqual(500);
    const [first, second] = await Promise.all([
      here.take(credential({ perSecond: 500 })),
      here.take(credential({ perSecond: 500 })),
    ]);
    expect([first.used, second.used]).toEqual([1, 1]);
    const positions = allowances.map(({ resetAt, used }) => `${resetAt} ${used}`);
    expect(new Set(positions.filter((location) => Number(location.split(' ')[1]) <= 500)).size).toBe(
      positions.filter((location) => Number(location.split(' ')[1]) <= 500).length,
    );
  });

  it('lets a key use nearly all of a large limit, even with overlapping requests', async () => {
    const here = limiter();
    let most = 0;
    for (let tries = 0; tries < 4 && most <= 380; tries += 1) {
      const one = credential({ perSecond: 400 });
      const allowances: RateLimitState[] = [];
      const requesting = Array.from({ length: 30 }, async () => {
        while (allowances.length < 1_600) allowances.push(await here.take(one));
      });
      await Promise.all(requesting);
      most = Math.max(...admitted(allowances));
    }
    expect(most).toBeGreaterThan(380);
    expect(most).toBeLessThanOrEqual(400);
  });

  it('reserves for all keys of the last second together with the first request', async () => {
    const rateLimitKey: number[] = [];
    class Counting extends RateWindowsRepository {
      override count(calls: ReadonlyMap<string, number>) {
        rateLimitKey.push(calls.size);
        return super.count(calls);
      }
    }
    const keys = Array.from({ length: 10 }, () => credential({ perSecond: 500 }));
    const takeAll = async (here: RateLimiter, wanted: RateLimitKey[]) => {
      const states: RateLimitState[] = [];
      for (const one of wanted) states.push(await here.take(one));
      return states;
    };
    const states = await eventually(async () => {
      const here = new RateLimiter(limits, new Counting(suite.database), new Metrics('gateway'));
      // Avoids the end of a window.
      await delay(1_100 - (Date.now() % 1_000));
      const before = await takeAll(here, [...keys, credential({ perSecond: 50 })]);
      await delay(1_000);
      rateLimitKey.length = 0;
      const after = await takeAll(here, keys);
      const [first] = before;
      const fits =
        before.every(({ resetAt }) => resetAt === first!.resetAt) &&
        after.every(({ resetAt }) => resetAt === first!.resetAt + 1);
      return fits && after;
    }, 'each round is within one window');
    expect(states.map(({ used }) => used)).toEqual(keys.map(() => 1));
    expect(rateLimitKey).toEqual([keys.length]);
  });

  it('starts over every second', async () => {
    const here = limiter();
    const one = credential({ perSecond: 1 });
    await Promise.all(Array.from({ length: 5 }, () => here.take(one)));
    await delay(1_050);
    expect(isExceeded(await here.take(one))).toBe(false);
  });

  it('is in the headers of both dialects and uses the limit of the project', async () => {
    const { projectId, caller } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId);
    await suite.bus.call(projects.limit, caller, {
      id: projectId,
      secretPerSecond: 2,
      publicPerSecond: null,
    });
    const published = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        suite.request('GET', `/api/${index % 2 ? 'v1/' : ''}contacts`, { key: token }),
      ),
    );
    const refused = published.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(12 - 2 * windowsOf(published));
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['2', '0']);
      expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
    }
    const [legacy, v1] = [published[0]!, published[1]!];
    expect([legacy.headers.get('ratelimit'), legacy.headers.get('ratelimit-policy')]).toEqual([null, null]);
    expect(v1.headers.get('ratelimit')).toMatch(/^"per-key";r=[01];t=1$/);
    expect(v1.headers.get('ratelimit-policy')).toBe('"per-key";q=2;w=1');
  });

  it.each([10, 200])(
    'of %i a second holds for a thousand concurrent requests on two gateways, with correct headers',
    async (limit) => {
      const { projectId, caller } = await suite.buildProject();
      const { token } = await suite.buildKey(projectId);
      await suite.bus.call(projects.limit, caller, {
        id: projectId,
        secretPerSecond: limit,
        publicPerSecond: null,
      });
      const published = await Promise.all(
        Array.from({ length: 1_000 }, async (_, index) => {
          const began = Date.now();
          const answer = await suite.requestAt(
            index % 2 ? suite.gateway : other,
            'GET',
            '/api/v1/contacts?no_such_name=1',
            { key: token },
          );
          return { ...answer, began, ended: Date.now() };
        }),
      );
      const passed = published.filter(({ status }) => status === 422);
      expect(passed.length + published.filter(({ status }) => status === 429).length).toBe(1_000);
      const header = ({ headers }: (typeof published)[number], name: string) => Number(headers.get(name));
      for (const own of Map.groupBy(passed, (each) => header(each, 'x-ratelimit-reset')).values()) {
        expect(own.length).toBeLessThanOrEqual(limit);
        // Each position of a window is assigned once.
        const lefts = own.map((each) => header(each, 'x-ratelimit-remaining'));
        expect(new Set(lefts).size).toBe(own.length);
        expect([Math.max(...lefts), Math.min(...lefts) >= 0]).toEqual([limit - 1, true]);
      }
      for (const each of published) {
        const [reset, left] = [header(each, 'x-ratelimit-reset'), header(each, 'x-ratelimit-remaining')];
        // The window is a second of the server between request and response, measured by the clock of this
        // machine.
        expect(reset).toBeGreaterThanOrEqual(Math.floor((each.began - 5) / 1_000) + 1);
        expect(reset).toBeLessThanOrEqual(Math.floor((each.ended + 5) / 1_000) + 1);
        expect([header(each, 'x-ratelimit-limit'), each.headers.get('ratelimit-policy')]).toEqual([
          limit,
          `"per-key";q=${limit};w=1`,
        ]);
        expect(each.headers.get('ratelimit')).toBe(`"per-key";r=${left};t=1`);
        if (each.status === 429) expect([left, each.headers.get('retry-after')]).toEqual([0, '1']);
      }
    },
  );

  it('refuses before the body is read', async () => {
    const { projectId, caller } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId);
    await suite.bus.call(projects.limit, caller, {
      id: projectId,
      secretPerSecond: 1,
      publicPerSecond: null,
    });
    const published = await Promise.all(
      Array.from({ length: 6 }, () =>
        suite.request('POST', '/api/v1/contacts', { key: token, body: '{"a":' }),
      ),
    );
    expect(published.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(
      6 - windowsOf(published),
    );
    expect(published.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(1);
  });
});

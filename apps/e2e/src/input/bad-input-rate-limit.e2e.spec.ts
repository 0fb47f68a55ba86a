import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { expectRefusal, prefixes, surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import { signIn } from '../testing/people.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn({ RATE_LIMIT_ENABLED: 'true' });
const tooMany = {
  status: 429,
  code: 'rate_limited',
  detail: 'This API key may make 10 requests per second; try again in 1 second',
};

const newer = ['ratelimit-policy', 'ratelimit'];
const limitHeaders = [...newer, 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const header = ({ headers }: Answer, name: string) => headers.get(name);

/** Waits for the start of a window, so that a short burst lies within it. */
const nextWindow = () => delay(1_020 - (Date.now() % 1_000));

async function burst(surface: Surface, key: string, calls: number): Promise<Answer[]> {
  await nextWindow();
  const path = `${prefixes[surface]}/contacts`;
  return Promise.all(
    Array.from({ length: calls }, () => suite.posthorn.get(path, { authorization: `Bearer ${key}` })),
  );
}

function expectHeaders(answer: Answer, surface: Surface, limit: number): void {
  const remaining = Number(header(answer, 'x-ratelimit-remaining'));
  expect(header(answer, 'x-ratelimit-limit')).toBe(String(limit));
  expect(remaining).toBeGreaterThanOrEqual(0);
  expect(remaining).toBeLessThan(limit);
  expect(Math.abs(Number(header(answer, 'x-ratelimit-reset')) - Date.now() / 1_000)).toBeLessThan(5);
  if (surface === 'v1') {
    expect(header(answer, 'ratelimit-policy')).toBe(`"per-key";q=${limit};w=1`);
    expect(header(answer, 'ratelimit')).toBe(`"per-key";r=${remaining};t=1`);
  } else {
    expect(newer.map((name) => header(answer, name))).toEqual([null, null]);
  }
}

describe.each(surfaces)('thirty calls at once on %s', (surface) => {
  it('are accepted up to ten per window; others get Retry-After', async () => {
    const answers = await burst(surface, suite.posthorn.dev.secretKey, 30);
    const windows = new Map<string | null, number>();
    for (const answer of answers) {
      expectHeaders(answer, surface, 10);
      const window = header(answer, 'x-ratelimit-reset');
      if (answer.status === 200) windows.set(window, (windows.get(window) ?? 0) + 1);
    }
    expect(Math.max(...windows.values())).toBe(10);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    for (const answer of refused) {
      expectRefusal(answer, surface, `${prefixes[surface]}/contacts`, tooMany);
      expect(header(answer, 'x-ratelimit-remaining')).toBe('0');
      expect(header(answer, 'retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(
      answers.filter(({ status }) => status === 200).map((answer) => header(answer, 'retry-after')),
    ).not.toContain('1');
  });

  it('are accepted again in the next window', async () => {
    await nextWindow();
    expect((await suite.posthorn.get(`${prefixes[surface]}/contacts`)).status).toBe(200);
  });
});

describe('the limit of a signed-in user', () => {
  it('is counted over all sessions; a refusal says so and when to try again, without headers of a limit', async () => {
    const sessions = [
      await signIn(suite.posthorn, suite.posthorn.dev.user),
      await signIn(suite.posthorn, suite.posthorn.dev.user),
    ];
    let began = 0;
    const answers = await eventually(async () => {
      await nextWindow();
      began = Date.now();
      const all = await Promise.all(
        Array.from({ length: 120 }, (_, index) =>
          suite.posthorn.get('/api/v1/users/me/projects', sessions[index % 2]!.headers),
        ),
      );
      return all.some(({ status }) => status === 429) && all;
    }, 'so many requests within few windows are refused');
    const windows = Math.floor(Date.now() / 1_000) - Math.floor(began / 1_000) + 1;
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.length).toBeGreaterThanOrEqual(50);
    expect(admitted.length).toBeLessThanOrEqual(50 * windows);
    for (const answer of answers)
      expect(limitHeaders.map((name) => header(answer, name))).toEqual(limitHeaders.map(() => null));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.body.detail).toBe(
        'A signed-in user may make 50 requests per second; try again in 1 second',
      );
      expect(header(answer, 'retry-after')).toBe('1');
    }
  });
});

describe('the limit of a key', () => {
  it('is five for a public key and includes refused bodies', async () => {
    await nextWindow();
    const headers = { authorization: `Bearer ${suite.posthorn.dev.publicKey}` };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => suite.posthorn.post('/api/v1/emails', {}, headers)),
    );
    for (const answer of answers) expectHeaders(answer, 'v1', 5);
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([422, 429]));
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(10);
  });

  it('does not apply to requests without a key', async () => {
    const answer = await suite.posthorn.get('/api/v1/contacts', { authorization: '' });
    expect([
      answer.status,
      ...newer.map((name) => header(answer, name)),
      header(answer, 'x-ratelimit-limit'),
    ]).toEqual([401, null, null, null]);
  });
});

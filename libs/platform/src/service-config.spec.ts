import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';
import { ServiceConfig } from './service-config.js';

const [key, older] = ['k'.repeat(32), 'o'.repeat(32)];
const read = (ring: string | undefined) => readConfig(ServiceConfig, { POSTHORN_SECRET_KEY: ring });

describe('POSTHORN_SECRET_KEY', () => {
  it('holds one key, or several for a rotation with the current one first', () => {
    expect(read(` ${key} `).secretKeys).toEqual([key]);
    expect(read(`${key}, ${older}`).secretKeys).toEqual([key, older]);
    expect(read(`${key},${older}`).secretKey).toBe(key);
  });

  it.each([
    ['a comma at the end', `${key},`, /contains an empty key/],
    ['a comma at the start', `,${key}`, /contains an empty key/],
    ['two commas', `${key}, ,${older}`, /contains an empty key/],
    ['commas only', ',', /contains an empty key/],
    ['a short key', 'short', /contains a key of 5 characters/],
    ['a short key before another', `${'s'.repeat(31)},${key}`, /contains a key of 31 characters/],
    ['a short key behind another', `${key},${'s'.repeat(31)}`, /contains a key of 31 characters/],
    ['nothing', undefined, /is missing/],
    ['spaces', '   ', /is missing/],
  ])('stops the start for %s, in one line that says how to make a key', (_, ring, problem) => {
    const refusal = (() => {
      try {
        return String(read(ring));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(refusal).toMatch(/^POSTHORN_SECRET_KEY .*openssl rand -hex 32.*$/);
    expect(refusal).toMatch(problem);
    for (const part of (ring ?? '').split(',').filter((each) => each.length > 5))
      expect(refusal).not.toContain(part.trim());
  });
});

describe('ANSWER_WITHIN_MS', () => {
  it.each([
    [undefined, 1_500, 1_700],
    ['8000', 6_000, 6_800],
  ])('%s gives the database and a call most of that time', (text, databaseMs, callMs) => {
    const environment = { POSTHORN_SECRET_KEY: 'k'.repeat(32), ANSWER_WITHIN_MS: text };
    const { databaseWaitMs, callTimeoutMs } = readConfig(ServiceConfig, environment);
    expect([databaseWaitMs, callTimeoutMs]).toEqual([databaseMs, callMs]);
  });
});

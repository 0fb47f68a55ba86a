import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedApiKey } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { expectWithin } from '../testing/fastest.js';
import { startGatewaySuite, type GatewaySuite, type Published } from '../testing/gateway-suite.js';

const codeOf = ({ json }: Published) => json['code'] ?? (json['error'] as { code: string } | undefined)?.code;
const send = { to: 'a@example.test', subject: 's', body: 'b' };

let suite: GatewaySuite;
let key: CreatedApiKey;

beforeAll(async () => {
  suite = await startGatewaySuite({}, { breakable: true });
  key = await suite.buildKey((await suite.buildProject()).projectId);
});
afterAll(() => suite.stop());

describe('without the services behind it', () => {
  it('the gateway says so at once, in dialect, and asks to come again', async () => {
    for (const path of ['/api/v1/emails', '/api/emails'])
      await expectWithin(2_000, async () => {
        const published = await suite.request('POST', path, { key: key.token, body: send });
        expect([
          published.status,
          String(codeOf(published)).toLowerCase(),
          published.headers.get('retry-after'),
        ]).toEqual([503, 'enqueue_failed', '1']);
        return published.ms;
      });
    const read = await suite.request('GET', '/api/v1/emails', { key: key.token });
    expect([read.status, codeOf(read), read.headers.get('retry-after')]).toEqual([
      503,
      'internal_error',
      '1',
    ]);
    expect((await suite.request('GET', '/healthz')).status).toBe(503);
  });

  it.each(['cut', 'hold'] as const)(
    'and when its database is away (%s), and recovers by itself',
    async (how) => {
      suite.line[how]();
      await expectWithin(2_000, async () => {
        await delay(1_000);
        const published = await suite.request('POST', '/api/v1/emails', { key: key.token, body: send });
        expect([published.status, codeOf(published), published.headers.get('retry-after')]).toEqual([
          503,
          'enqueue_failed',
          '1',
        ]);
        return published.ms;
      });
      expect((await suite.request('GET', '/api/contacts', { key: key.token })).json).toEqual({
        success: false,
        error: { message: 'The service is temporarily unavailable', code: 'INTERNAL_ERROR' },
      });
      suite.line.fix();
      const status = async () =>
        (await suite.request('GET', '/api/v1/contacts?limit=0', { key: key.token })).status;
      await eventually(async () => (await status()) === 422, 'it has recovered');
    },
  );

  it('and without NATS', async () => {
    await suite.nats.stop();
    for (const [method, path, body] of [
      ['POST', '/api/v1/emails', send],
      ['GET', '/api/emails', undefined],
    ] as const)
      await expectWithin(2_000, async () => {
        const published = await suite.request(method, path, { key: key.token, body });
        expect([published.status, published.headers.get('retry-after')]).toEqual([503, '1']);
        return published.ms;
      });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  suppressionImports,
  suppressionNotFound,
  suppressions,
  type ListSuppressions,
  type Suppression,
  type SuppressionImport,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { startGatewaySuite, type Request, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let token: string;
beforeAll(async () => {
  suite = await startGatewaySuite();
  ({ token } = await suite.buildKey((await suite.buildProject()).projectId));
});
afterAll(() => suite.stop());

const request = (method: string, path: string, requested: Request = {}) =>
  suite.request(method, path, { key: token, ...requested });
const createdAt = new Date('2026-01-31T09:00:00Z');
const suppression = (email: string): Suppression => ({ email, reason: 'MANUAL', source: 'API', createdAt });
const csv = { 'content-type': 'text/csv; charset=utf-8' };

describe('an address in a path', () => {
  it('is normalised like every address, and a malformed one is not suppressed', async () => {
    const requested: string[] = [];
    const stop = await standIn(suite.connection, suppressions.get, async ({ email }) => {
      requested.push(email);
      if (email.startsWith('x')) throw suppressionNotFound();
      return suppression(email);
    });
    const found = await request('GET', '/api/v1/suppressions/Ada%2BNews@B%C3%BCcher.example');
    expect(found.json).toEqual({
      email: 'ada+news@xn--bcher-kva.example',
      reason: 'MANUAL',
      source: 'API',
      created_at: createdAt.toISOString(),
    });
    const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example`;
    expect((await request('GET', `/api/suppression/${long}`)).json).toMatchObject({
      success: true,
      data: { email: long },
    });
    const missing = await Promise.all(
      ['x@example.com', 'no-address', '%00', '@', newId()].map((name) =>
        request('GET', `/api/v1/suppressions/${name}`),
      ),
    );
    expect(missing.map(({ status, json }) => [status, json['code'], json['detail']])).toEqual(
      missing.map(() => [404, 'resource_not_found', 'The address is not suppressed']),
    );
    expect(requested).toEqual(['ada+news@xn--bcher-kva.example', long, 'x@example.com']);
    await stop();
  });

  it('is removed whether it was suppressed or not', async () => {
    const stop = await standIn(suite.connection, suppressions.remove, async ({ email }) => ({
      email,
      deleted: false,
    }));
    expect((await request('DELETE', '/api/v1/suppressions/ada@example.com')).json).toEqual({
      email: 'ada@example.com',
      deleted: true,
    });
    expect((await request('DELETE', '/api/suppression/ada@example.com')).json).toEqual({ success: true });
    expect((await request('DELETE', '/api/v1/suppressions/ada')).status).toBe(404);
    await stop();
  });
});

describe('the list', () => {
  it('is exported as CSV of all pages, with formulas disarmed', async () => {
    const all = Array.from({ length: 250 }, (_, index) =>
      suppression(index === 0 ? '=cmd@example.com' : `r${index}@example.com`),
    );
    const stop = await standIn(
      suite.connection,
      suppressions.list,
      async ({ limit = 20, after }: ListSuppressions) => {
        const from = after ? Number(after.id.slice(-12)) : 0;
        const to = from + limit;
        const next =
          to < all.length
            ? { at: createdAt, id: `00000000-0000-0000-0000-${String(to).padStart(12, '0')}` }
            : null;
        return { items: all.slice(from, to), hasMore: next !== null, next, erased: 3 };
      },
    );
    const table = await request('GET', '/api/v1/suppressions', { headers: { accept: 'text/csv' } });
    expect([table.status, table.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const lines = table.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(251);
    expect(lines.slice(0, 3)).toEqual([
      'email,reason,source,created_at',
      "'=cmd@example.com,MANUAL,API,2026-01-31T09:00:00.000Z",
      'r1@example.com,MANUAL,API,2026-01-31T09:00:00.000Z',
    ]);
    expect((await request('GET', '/api/v1/suppressions')).json).toMatchObject({
      has_more: true,
      erased_count: 3,
    });
    expect((await request('GET', '/api/suppression')).json).toMatchObject({
      data: { hasMore: true, erasedCount: 3 },
    });
    await stop();
    const away = await request('GET', '/api/v1/suppressions', { headers: { accept: 'text/csv' } });
    expect([away.status, away.json['code']]).toEqual([503, 'internal_error']);
  });

  it('can be imported as CSV or inside JSON only', async () => {
    const read: string[] = [];
    const job: SuppressionImport = {
      id: newId(),
      status: 'QUEUED',
      total: 1,
      processed: 0,
      created: 0,
      updated: 0,
      skipped: 0,
      failed: 0,
      createdAt,
      finishedAt: null,
    };
    const stop = await standIn(suite.connection, suppressionImports.start, async (body) => {
      read.push(body.csv);
      return job;
    });
    const path = '/api/v1/suppressions/import';
    const begun = await request('POST', path, { body: 'email\nä@example.com\n', headers: csv });
    expect([begun.status, begun.json['id'], begun.json['finished_at']]).toEqual([202, job.id, null]);
    expect(
      (await request('POST', '/api/suppression/import', { body: { csv: 'email\n' } })).json,
    ).toMatchObject({
      success: true,
      data: { id: job.id },
    });
    expect(read).toEqual(['email\nä@example.com\n', 'email\n']);
    const refused = [
      await request('POST', path, { body: 'email', headers: { 'content-type': 'text/plain' } }),
      await request('POST', path, { body: new Uint8Array([0xff, 0xfe]), headers: csv }),
      await request('POST', path, { body: 'email\n\0', headers: csv }),
      await request('POST', path, { headers: csv }),
      await request('POST', path, { body: `email\n${'x'.repeat(15 * 1024 * 1024)}`, headers: csv }),
      await request('POST', '/api/v1/suppressions', { body: 'email\nada@example.com', headers: csv }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([415, 400, 422, 422, 413, 415]);
    expect(read).toHaveLength(2);
    await stop();
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, idempotencyOf } from './resource-responder.js';

const route = { method: 'POST', path: '/api/v1/emails', ids: [] } as const;

describe('an idempotency key', () => {
  it('does not mind the order of members', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, member]) => [name, reversed(member)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('tells different bodies apart', () => {
    const hashes = [{ a: 1 }, { a: '1' }, { a: [1] }, { b: 1 }, {}].map(
      (body) => idempotencyOf({}, route, ['k'], {}, body)!.bodyHash,
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('tells what the path names apart, in whatever case', () => {
    const sends = { method: 'POST', path: '/api/v1/campaigns/:id/send', ids: ['id'] } as const;
    const of = (id: string) => idempotencyOf({}, sends, ['k'], { id }, {})!.bodyHash;
    expect([
      of('a') === of('b'),
      of('a') === of('A'),
      of('a') === idempotencyOf({}, route, ['k'], {}, {})!.bodyHash,
    ]).toEqual([false, true, false]);
  });

  it('belongs to one kind of credential', () => {
    const operations = [
      {},
      { mode: 'LIVE' },
      { isPublic: true },
      { mode: 'TEST' },
      { mode: 'TEST', isPublic: true },
    ].map((caller) => idempotencyOf(caller as object, route, ['k'], {}, {})!.operation);
    expect(operations).toEqual([
      'POST /api/v1/emails',
      'POST /api/v1/emails',
      'public POST /api/v1/emails',
      'test POST /api/v1/emails',
      'test public POST /api/v1/emails',
    ]);
  });

  it('is absent without the header, and refused when it is too short, too long or given twice', () => {
    expect(idempotencyOf({}, route, [], {}, {})).toBeUndefined();
    expect(idempotencyOf({}, route, ['x'.repeat(255)], {}, {})).toMatchObject({
      key: 'x'.repeat(255),
      operation: 'POST /api/v1/emails',
    });
    for (const headers of [[''], ['x'.repeat(256)], ['a', 'a']]) {
      expect(() => idempotencyOf({}, route, headers, {}, {})).toThrow(
        'Idempotency-Key must be one header of 1 to 255 characters',
      );
    }
  });
});

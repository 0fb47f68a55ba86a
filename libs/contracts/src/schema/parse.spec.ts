import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '../common/errors.js';
import { Address, Count, Flag, FreeMap, Instant, ListOf, Mailboxes, Optional, Text } from './fields.js';
import { parse, tryParse, validateInPlace } from './parse.js';

class Entry {
  @Count({ max: 9 }) count: number;
  @Instant() @Optional() at?: Date;
}

class Base {
  @Address() email: string;
}

class Whole extends Base {
  @Flag() @Optional() flag?: boolean;
  @Text(1, 5) title: string;
  @FreeMap({ max: 100 }) @Optional() data?: Record<string, unknown>;
  @Mailboxes(0, 5) @Optional() cc?: object[];
  @ListOf(() => Entry, 0, 3) @Optional() entries?: Entry[];
}

const fitting = () => ({
  email: ' Ada@Example.com',
  title: 'Hello',
  cc: ['B <b@example.com>'],
  entries: [{ count: 1, at: '2026-01-31T09:00:00Z' }],
});
const failing = () => ({ title: 7, email: 'nobody', entries: [{ count: 10 }, 7, { at: 'now' }] });

describe('a shape', () => {
  it.each([
    ['a client', (plain: object) => parse(Whole, plain)],
    ['a service', (plain: object) => validateInPlace(Whole, plain as Whole)],
  ])('puts the members of %s into their normal form', (_, read) => {
    expect(read(fitting())).toEqual({
      email: 'ada@example.com',
      title: 'Hello',
      cc: [{ email: 'b@example.com', name: 'B' }],
      entries: [{ count: 1, at: new Date('2026-01-31T09:00:00Z') }],
    });
  });

  it('has the same failures at the edge and on the bus, inner ones and its own members first', () => {
    const failuresOf = (read: () => unknown) => {
      try {
        read();
      } catch (error) {
        return (error as DomainError).details.errors!.map(({ path, code }) => `${path.join('/')} ${code}`);
      }
      return [];
    };
    const atTheEdge = failuresOf(() => parse(Whole, failing()));
    expect(atTheEdge).toEqual([
      'entries/0/count out_of_range',
      'entries/2/count required',
      'entries/2/at invalid_format',
      'title invalid_type',
      'entries/1 invalid_type',
      'email invalid_format',
    ]);
    expect(failuresOf(() => validateInPlace(Whole, failing() as unknown as Whole))).toEqual(atTheEdge);
  });

  it('refuses members that it does not know from clients only, whatever their names', () => {
    const unknown = '{"email":"a@b.cc","title":"a","constructor":1,"__proto__":2,"more":3}';
    expect(tryParse(Whole, JSON.parse(unknown)).failures.map(({ path }) => path[0])).toEqual([
      'constructor',
      '__proto__',
      'more',
    ]);
    expect(validateInPlace(Whole, JSON.parse(unknown) as Whole)).toMatchObject({ more: 3 });
  });

  it('measures a free object of very many members', () => {
    const data = { list: Array<number>(200_000).fill(0) };
    expect(tryParse(Whole, { email: 'a@b.cc', title: 'a', data }).failures).toMatchObject([
      { path: ['data'], code: 'too_long' },
    ]);
  });
});

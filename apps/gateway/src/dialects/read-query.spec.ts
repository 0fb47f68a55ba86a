import { describe, expect, it } from '@jest/globals';
import { ContactFilter, type DomainError, Email, EmailFilter, RevealQuery } from '@posthorn/contracts';
import type { RouteDeclaration } from '../routes/route.js';
import type { Dialect } from './dialect.js';
import { legacy } from './legacy.js';
import { parametersOf, readQuery } from './read-query.js';
import { v1 } from './v1.js';

const listing: RouteDeclaration = {
  summary: 's',
  scope: 'emails:read',
  query: EmailFilter,
  listed: 'flat',
  reply: Email,
};
const read = (dialect: Dialect, raw: Record<string, unknown>, declaration: RouteDeclaration = listing) =>
  readQuery(parametersOf(dialect, declaration), declaration.query, raw);
const failures = (
  dialect: Dialect,
  raw: Record<string, unknown>,
  declaration: RouteDeclaration = listing,
) => {
  try {
    read(dialect, raw, declaration);
  } catch (error) {
    return (error as DomainError).details.errors!.map(({ path, code }) => `${path.join('/')} ${code}`);
  }
  return [];
};

describe('a query', () => {
  it('accepts only the names of its dialect', () => {
    expect(
      read(v1, { limit: '100', after: 'c', created_after: '2026-01-31T09:00:00Z', from: 'A@b.cc' }),
    ).toEqual({
      limit: 100,
      cursor: 'c',
      filters: { createdAfter: new Date('2026-01-31T09:00:00Z'), from: 'a@b.cc' },
    });
    expect(read(legacy, { cursor: '', createdAfter: '2026-01-31T09:00:00Z' })).toMatchObject({ cursor: '' });
    expect(failures(v1, { cursor: 'c', createdAfter: 'x' })).toEqual([
      'cursor unknown_field',
      'createdAfter unknown_field',
    ]);
    expect(failures(legacy, { after: 'c' })).toEqual(['after unknown_field']);
  });

  it.each(['-1', '0', '101', 'NaN', '1e3', '1.5', '+5', ' 5', '', '99999999999999999999', '05'])(
    'refuses the limit %j',
    (limit) => {
      expect(failures(v1, { limit })).toEqual(['limit out_of_range']);
    },
  );

  it('refuses repeated and unknown parameters and reports all failures at once', () => {
    expect(
      failures(v1, {
        tag: ['a', 'b'],
        limit: ['1', '2'],
        x: '1',
        status: 'NONE',
        created_before: 'infinity',
      }),
    ).toEqual([
      'tag not_allowed',
      'limit not_allowed',
      'x unknown_field',
      'status not_allowed',
      'created_before invalid_format',
    ]);
  });

  it('has no page parameters if the route has no pages', () => {
    const declaration: RouteDeclaration = { summary: 's', scope: 'emails:read', reply: Email };
    expect(failures(v1, { limit: '1', after: 'x' }, declaration)).toEqual([
      'limit unknown_field',
      'after unknown_field',
    ]);
    expect(read(v1, {}, declaration)).toEqual({ filters: {} });
  });

  it('reads flags and accepts legacy-only names on the legacy surface only', () => {
    const declaration: RouteDeclaration = {
      summary: 's',
      scope: 'contacts:read',
      query: ContactFilter,
      reply: Email,
      legacyQueryNames: { search: 'q' },
    };
    expect(read(v1, { subscribed: 'false', search: '%' }, declaration).filters).toEqual({
      subscribed: false,
      search: '%',
    });
    expect(read(legacy, { q: '%' }, declaration).filters).toEqual({ search: '%' });
    expect(failures(legacy, { search: '%', subscribed: '1' }, declaration)).toEqual([
      'search unknown_field',
      'subscribed invalid_type',
    ]);
    expect(failures(legacy, { q: '' }, declaration)).toEqual(['q too_short']);
  });

  it('is refused without its required parameters, also if it is empty', () => {
    const reveal: RouteDeclaration = {
      summary: 's',
      scope: 'projects:read',
      query: RevealQuery,
      reply: Email,
    };
    expect(failures(v1, {}, reveal)).toEqual(['token required']);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Cursors, type CursorScope } from './list-responder.js';

const cursors = new Cursors('a secret key of more than thirty-two characters');
const scope: CursorScope = {
  route: 'emails',
  surface: 'v1',
  projectId: 'p',
  sort: 'created_at desc',
  filters: { tag: 'a', status: undefined },
};
const position = { at: new Date('2026-01-31T09:00:00.123Z'), id: '019b0000-0000-7000-8000-000000000001' };

describe('a cursor', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.uuid(), (at, id) => {
        expect(cursors.read(cursors.write({ at, id }, scope), scope)).toEqual({ at, id });
      }),
    );
  });

  it('is malformed with any one character changed, cut, added or missing', () => {
    const cursor = cursors.write(position, scope);
    const other = (char: string) => (char === 'A' ? 'B' : 'A');
    const changed = [...cursor].map(
      (char, index) => cursor.slice(0, index) + other(char) + cursor.slice(index + 1),
    );
    for (const bad of [
      ...changed,
      '',
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      'null',
      'é',
    ]) {
      expect(() => cursors.read(bad, scope)).toThrow('the cursor is malformed');
    }
    expect(() => new Cursors('another secret key').read(cursor, scope)).toThrow('the cursor is malformed');
  });

  it('serves only the sort, filters, project, route and surface that minted it', () => {
    const cursor = cursors.write(position, scope);
    expect(() => cursors.read(cursor, { ...scope, sort: 'name asc' })).toThrow(
      'the cursor was issued for a different sort order',
    );
    for (const change of [
      { filters: { tag: 'b' } },
      { filters: {} },
      { projectId: 'q' },
      { route: 'contacts' },
      { surface: 'legacy' },
    ]) {
      expect(() => cursors.read(cursor, { ...scope, ...change })).toThrow(
        'the cursor was issued for a different set of filters',
      );
    }
    expect(cursors.read(cursor, { ...scope, filters: { status: undefined, tag: 'a' } })).toEqual(position);
  });
});

import { describe, expect, it } from '@jest/globals';
import { instantOf, lowestIdOf, newId } from './ids.js';
import { idsBefore, equals, narrowedBy } from './page.js';

describe('a position in a list of several tables', () => {
  const at = new Date('2026-01-31T09:00:00.123Z');
  const [lowest, next] = [lowestIdOf(at.getTime()), lowestIdOf(at.getTime() + 1)];
  const within = lowest.replace('-0000-000000000000', '-8000-00000000000a');

  it('is its own id if that has the same instant', () => {
    expect(instantOf(within)).toEqual(at);
    expect(idsBefore({ at, id: within })).toBe(within);
  });

  it('is the start or the end of its instant if the id has another one', () => {
    expect(idsBefore({ at, id: lowestIdOf(0) })).toBe(lowest);
    expect(idsBefore({ at, id: lowestIdOf(at.getTime() + 9_000) })).toBe(next);
  });

  it('is after every id at the start of a list', () => {
    expect(newId() < idsBefore(undefined)).toBe(true);
  });
});

describe('filters of a list', () => {
  it('number named parameters after the existing ones, with separate names for each filter', () => {
    const parameters: unknown[] = ['project'];
    const sql = narrowedBy(
      [
        equals('row.status', 'OPEN'),
        { sql: 'row.tags = :value::text[] OR row.name = :name', parameters: { value: '{}', name: 'n' } },
      ],
      parameters,
    );
    expect(sql).toBe(' AND (row.status = $2) AND (row.tags = $3::text[] OR row.name = $4)');
    expect(parameters).toEqual(['project', 'OPEN', '{}', 'n']);
  });

  it('exclude nothing without a value, and compare with false', () => {
    const parameters: unknown[] = [];
    expect(narrowedBy([equals('row.a', undefined), equals('row.b', false)], parameters)).toBe(
      ' AND (row.b = $1)',
    );
    expect(parameters).toEqual([false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { equals, narrowedBy } from './page-filter.js';

describe('filters of a list', () => {
  it('numbers named parameters after those that are there, each filter with names of its own', () => {
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

  it('narrows nothing where no value is wanted, and by false and null where they are', () => {
    const parameters: unknown[] = [];
    expect(narrowedBy([equals('row.a', undefined), equals('row.b', false)], parameters)).toBe(
      ' AND (row.b = $1)',
    );
    expect(parameters).toEqual([false]);
  });
});

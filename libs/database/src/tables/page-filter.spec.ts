import { describe, expect, it } from '@jest/globals';
import { equals, narrowedBy } from './page-filter.js';

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

import { describe, expect, it } from '@jest/globals';
import { columnsOf } from './columns.js';

interface Row {
  email: string;
  seq: number | null;
}

const columns = columnsOf<Row>([
  { column: 'position', type: 'int', value: (_, index) => index },
  { column: 'email', type: 'text', value: ({ email }) => email },
  { column: 'seq', type: 'bigint', value: ({ seq }) => seq },
]);

describe('columns of a statement', () => {
  it('numbers the parameters from the first in the order of the columns', () => {
    expect(columns.unnest('given', 4)).toBe(
      'unnest($4::int[], $5::text[], $6::bigint[]) AS given (position, email, seq)',
    );
    expect(columns.count).toBe(3);
  });

  it('gives one array of values a column, in the same order', () => {
    expect(
      columns.values([
        { email: 'a@b.example', seq: 7 },
        { email: 'c@d.example', seq: null },
      ]),
    ).toEqual([
      [0, 1],
      ['a@b.example', 'c@d.example'],
      [7, null],
    ]);
  });

  it('gives each column an empty array where there are no rows', () => {
    expect(columns.values([])).toEqual([[], [], []]);
  });

  it('names the parameter of one column, and refuses a column that is not declared', () => {
    expect(columns.array('seq', 1)).toBe('($3::bigint[])');
    expect(() => columns.array('e_mail', 1)).toThrow('there is no column e_mail');
  });
});

import { describe, expect, it } from '@jest/globals';
import { CsvReader, maxRow, type CsvRow } from './csv-reader.js';

function read(text: string | Buffer, piece = Infinity, delimiter = ','): CsvRow[] {
  const bytes = Buffer.from(text as string);
  const reader = new CsvReader({ delimiter });
  const rows: CsvRow[] = [];
  for (let at = 0; at < bytes.length; at += piece) rows.push(...reader.push(bytes.subarray(at, at + piece)));
  return [...rows, ...reader.end()];
}

const output = (rows: CsvRow[]) => rows.map(({ cells, fault }) => fault ?? cells);

describe('reading CSV', () => {
  it.each([
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a ""b""","c\r\nd",e\n', [['a "b"', 'c\r\nd', 'e']]],
    ['\n\na\n\n', [['a']]],
    ['""\n', [['']]],
    [
      'a,,\n,',
      [
        ['a', '', ''],
        ['', ''],
      ],
    ],
    ['x"y,z"\n', [['x"y', 'z"']]],
    ['ä,😀\n', [['ä', '😀']]],
  ])('finds the cells of each row: %j', (text, rows) => {
    for (const piece of [1, 2, 3, 7, Infinity]) expect(output(read(text, piece))).toEqual(rows);
  });

  it.each([
    ['a\n"b"x,c\nd\n', [['a'], 'quote', ['d']]],
    ['a\n"b,c\nd\ne', [['a'], 'quote', ['d'], ['e']]],
    ['"a\n"b"\nc\n', ['quote', ['b'], ['c']]],
    ['a\n\0b\nc', [['a'], 'invalid_text', ['c']]],
  ])('loses only the row that is malformed: %j', (text, rows) => {
    for (const piece of [1, 2, 3, 7, Infinity]) expect(output(read(text, piece))).toEqual(rows);
  });

  it('reports rows that are not UTF-8, too long or too wide', () => {
    const long = 'x'.repeat(maxRow + 1);
    const wide = Array.from({ length: 201 }, () => 'x').join(',');
    const bytes = Buffer.concat([
      Buffer.from('a\n'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from(`${long}\nb\n${wide}\nc\n${long}`),
    ]);
    for (const piece of [65_536, 1_000_003, Infinity])
      expect(output(read(bytes, piece))).toEqual([
        ['a'],
        'invalid_text',
        'too_long',
        ['b'],
        'too_many_columns',
        ['c'],
        'too_long',
      ]);
  });

  it('loses only the line of an unclosed quote in many megabytes', () => {
    const text = `a\n"open\n${'row,of,a,list\n'.repeat(200_000)}`;
    const rows = read(text, 262_144);
    expect(rows).toHaveLength(200_002);
    expect(output(rows.slice(0, 3))).toEqual([['a'], 'quote', ['row', 'of', 'a', 'list']]);
  });

  it('can continue after any row', () => {
    const text = Buffer.from('a,b\r\n"c\nd",e\r\n"bad"x\r\nf,g\rh\n');
    const rows = read(text);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6]);
    for (const [index, { end, lines }] of rows.entries()) {
      const reader = new CsvReader({ delimiter: ',', from: end, lines });
      expect([...reader.push(text.subarray(end)), ...reader.end()]).toEqual(rows.slice(index + 1));
    }
  });

  it('reads two million rows', () => {
    const piece = Buffer.from('reader-1234567@example.com,"Ada, of London",pro,42,true\n'.repeat(5_000));
    const reader = new CsvReader({ delimiter: ',' });
    let count = 0;
    for (let index = 0; index < 400; index += 1)
      for (const { cells } of reader.push(piece)) count += cells.length === 5 ? 1 : 0;
    for (const _ of reader.end()) count += 1;
    expect(count).toBe(2_000_000);
  });
});

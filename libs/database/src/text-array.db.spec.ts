import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import fc from 'fast-check';
import { openDatabase } from './data-source.js';
import type { Database } from './database.js';
import { bareParts } from './testing/bare-parts.js';
import { textArray } from './sql-fragments.js';

let clone: TestDatabase;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase('text_array', bareParts);
  database = await openDatabase({
    url: clone.url,
    name: 'text-array',
    poolSize: 2,
    connectTimeoutMs: 30_000,
    ...bareParts,
  });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

/** What Postgres reads from the literals, compared there too: the driver has rules of its own for what it reads. */
async function readBack(arrays: string[][]): Promise<{ entries: string[]; same: boolean }[]> {
  return database.query(
    `SELECT literal::text[] AS entries, coalesce(to_jsonb(literal::text[]) = given::jsonb, false) AS same
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (literal, given, index) ORDER BY index`,
    [arrays.map(textArray), arrays.map((entries) => JSON.stringify(entries))],
  );
}

const awkward = [
  '',
  'null',
  'NULL',
  'Null',
  '"',
  '\\',
  '\\"',
  '{',
  '}',
  '{}',
  ',',
  ' ',
  ' a ',
  '\n',
  '\t',
  "'",
  '\\n',
  '🎺',
];
// Postgres has no text with NUL.
const text = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\u0000', ''));
const entry = fc.oneof(fc.constantFrom(...awkward), text, fc.mixedCase(fc.constant('null')));

describe('the literal of an array of texts', () => {
  it('is read by Postgres as the entries that were written, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(entry), { minLength: 1, maxLength: 20 }), async (arrays) => {
        expect(await readBack(arrays)).toEqual(arrays.map((entries) => ({ entries, same: true })));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps each of the entries that mean something in a literal', async () => {
    expect(await readBack([awkward, ...awkward.map((each) => [each])])).toEqual(
      [awkward, ...awkward.map((each) => [each])].map((entries) => ({ entries, same: true })),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@posthorn/database';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { entities, migrations } from '../../../apps/sending/src/data-source.js';
import { columnDifferences } from './column-differences.js';

describe('the entities against the migrations', () => {
  let clone: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    clone = await cloneDatabase('sending', { entities, migrations });
    database = await openDatabase({ url: clone.url, name: 'differences', entities, migrations, poolSize: 2 });
  });

  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  it('agree as they stand, partitions and indexes aside', async () => {
    expect(await columnDifferences(database)).toEqual([]);
  });

  it.each([
    [
      'an entity has a column that no migration makes',
      'ALTER TABLE emails DROP COLUMN opens',
      'emails.opens is in the entity',
    ],
    [
      'a migration makes a column that no entity has',
      'ALTER TABLE emails ADD COLUMN colour text',
      'emails.colour is in the migrations',
    ],
    [
      'the types differ',
      'ALTER TABLE emails ALTER COLUMN opens TYPE bigint',
      'emails.opens is integer in the entity and bigint in',
    ],
    [
      'a list is no list',
      'ALTER TABLE snippets ALTER COLUMN body TYPE text[] USING ARRAY[body]',
      'snippets.body is text in the entity and text[]',
    ],
    [
      'one is nullable',
      'ALTER TABLE emails ALTER COLUMN subject DROP NOT NULL',
      'emails.subject is not null in the entity and nullable',
    ],
  ])('differ when %s', async (_, change, expected) => {
    const found = await changed(change);
    expect(found).toEqual([expect.stringContaining(expected)]);
  });

  it('leave tables of raw SQL alone', async () => {
    await database.query('CREATE TABLE counters (id integer)');
    expect(await columnDifferences(database)).toEqual([]);
  });

  /** The differences under a change that is then undone. */
  async function changed(sql: string): Promise<string[]> {
    let found: string[] = [];
    const undo = new Error('undone');
    const work = async () => {
      await database.query(sql);
      found = await columnDifferences(database);
      throw undo;
    };
    await expect(database.transaction(work)).rejects.toBe(undo);
    return found;
  }
});

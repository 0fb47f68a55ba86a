import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId, openDatabase, type Database } from '@posthorn/database';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { AttachmentsRepository } from './attachments.repository.js';

const kibibyte = 1024;
let clone: TestDatabase;
let database: Database;
let attachments: AttachmentsRepository;
beforeAll(async () => {
  clone = await cloneDatabase('sending', { entities, migrations });
  database = await openDatabase({
    url: clone.url,
    name: 'attachments',
    poolSize: 2,
    connectTimeoutMs: 30_000,
    entities,
    migrations,
  });
  attachments = new AttachmentsRepository(database);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

async function store(...sizes: number[]) {
  const [projectId, contentId] = [newId(), newId()];
  const files = sizes.map((size) => randomBytes(size));
  await attachments.insert(projectId, contentId, files);
  return {
    projectId,
    contentId,
    files,
    read: () => attachments.filesOf(projectId, contentId, sizes),
  };
}

it('reads every file as it was stored, in order, each in memory that can be transferred', async () => {
  const { files, read } = await store(1, 256 * kibibyte, 0, 256 * kibibyte + 1, 3_000_000);
  const found = await read();
  expect(found.map((file) => file.length)).toEqual(files.map((file) => file.length));
  found.forEach((file, index) => {
    expect(file.equals(files[index]!)).toBe(true);
    expect(file.buffer.byteLength).toBe(file.length);
  });
});

const second = 'WHERE content_id = $1 AND position = 1';
it.each([
  ['its first chunk', [`DELETE FROM email_attachments ${second} AND chunk = 0`]],
  ['a chunk in the middle', [`DELETE FROM email_attachments ${second} AND chunk = 1`]],
  ['its last chunk', [`DELETE FROM email_attachments ${second} AND chunk = 2`]],
  ['all of it', [`DELETE FROM email_attachments ${second}`]],
  [
    'a byte of a chunk',
    [`UPDATE email_attachments SET data = substring(data FROM 2) ${second} AND chunk = 1`],
  ],
  [
    'a place, though no byte',
    [2, 1].map((chunk) => `UPDATE email_attachments SET chunk = chunk + 1 ${second} AND chunk = ${chunk}`),
  ],
])('skips a file that lacks %s, and only that one', async (_, changes) => {
  const { contentId, files, read } = await store(10, 600 * kibibyte, 20);
  for (const change of changes) await database.query(change, [contentId]);
  expect(await read()).toEqual([files[0], files[2]]);
});

it('reads no more than the size of a file, and nothing of another project or content', async () => {
  const { projectId, contentId, files, read } = await store(10, 300 * kibibyte);
  await database.query(
    `INSERT INTO email_attachments VALUES ($1, $2, 1, 2, '\\xff'), ($1, $2, 2, 0, '\\xff'), ($3, $2, 0, 1, '\\xff')`,
    [projectId, contentId, newId()],
  );
  expect(await read()).toEqual(files);
  expect(await attachments.filesOf(newId(), contentId, [10])).toEqual([]);
  expect(await attachments.filesOf(projectId, newId(), [10])).toEqual([]);
});

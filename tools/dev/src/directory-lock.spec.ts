import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory } from './directory-lock.js';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-lock-'));
const file = join(folder, 'posthorn.pid');
afterAll(() => rmSync(folder, { recursive: true }));

describe('the lock of a data directory', () => {
  it('refuses a second start until the first has ended', () => {
    const lock = lockDirectory(folder);
    expect(() => lockDirectory(folder)).toThrow(
      `Posthorn already runs on ${folder} (process ${process.pid})`,
    );
    lock.release();
    expect(existsSync(file)).toBe(false);
    lockDirectory(folder).release();
  });

  it.each([
    ['a process that is gone', JSON.stringify({ token: 'a', pid: 2 ** 30, startedAt: 'x' })],
    [
      'a later process with the same number',
      JSON.stringify({ token: 'a', pid: process.pid, startedAt: 'yesterday' }),
    ],
    ['a torn write', '{"pid'],
  ])('takes over from %s', (_who, content) => {
    writeFileSync(file, content);
    lockDirectory(folder).release();
    expect(existsSync(file)).toBe(false);
  });

  it('names a directory that cannot be one', () => {
    writeFileSync(join(folder, 'plain'), '');
    expect(() => lockDirectory(join(folder, 'plain'))).toThrow(/Cannot write to .*plain/);
  });
});

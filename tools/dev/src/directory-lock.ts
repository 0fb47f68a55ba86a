import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DevServerError, errorCode } from './dev-server-error.js';
import { runningProcess } from './running-process.js';

export interface DirectoryLock {
  release(): void;
}

interface Holder {
  token: string;
  pid: number;
  startedAt: string;
}

/** Takes a data directory for this process; says who has it when another one runs on it. */
export function lockDirectory(directory: string, what = 'Posthorn'): DirectoryLock {
  return lockFile(join(directory, 'posthorn.pid'), directory, what);
}

/** As `lockDirectory`, where the directory itself must stay free of files that are not its server's. */
export function lockNextTo(directory: string, what: string): DirectoryLock {
  return lockFile(`${directory}.pid`, directory, what);
}

function lockFile(path: string, directory: string, what: string): DirectoryLock {
  const holder: Holder = {
    token: randomUUID(),
    pid: process.pid,
    startedAt: runningProcess(process.pid)?.startedAt ?? '',
  };
  const refusedBy = asDevServerError(directory, () => {
    mkdirSync(dirname(path), { recursive: true });
    return take(path, holder);
  });
  if (refusedBy === null) return { release: () => releaseOwn(path, holder) };
  throw new DevServerError(
    `${what} already runs on ${directory} (process ${refusedBy.pid}). Stop that one first (kill ${refusedBy.pid}), or use another directory.`,
  );
}

function asDevServerError<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) throw error;
    throw new DevServerError(
      `Cannot write to ${directory} (${code}). Make it a directory that this user may write, or use another one.`,
    );
  }
}

/**
 * Returns null, or who has it. A file appears whole (written aside, then linked) and only the holder of `<path>.takeover`, itself such a file,
 * may replace one whose process is gone; two takers who both saw it stale could otherwise each end up with the lock.
 */
function take(path: string, holder: Holder): Holder | null {
  const aside = `${path}.${holder.token}`;
  writeFileSync(aside, JSON.stringify(holder), { mode: 0o644 });
  try {
    if (linkIfAbsent(aside, path)) return null;
    if (isAlive(read(path))) return read(path);
    return takeOver(path, aside, holder);
  } finally {
    rmSync(aside, { force: true });
  }
}

function takeOver(path: string, aside: string, holder: Holder): Holder | null {
  const guard = `${path}.takeover`;
  const other = take(guard, holder);
  if (other !== null) return other;
  try {
    const current = read(path);
    if (isAlive(current)) return current;
    renameSync(aside, path);
    return null;
  } finally {
    rmSync(guard, { force: true });
  }
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(holder: Holder | null): holder is Holder {
  return holder !== null && runningProcess(holder.pid)?.startedAt === holder.startedAt;
}

function releaseOwn(path: string, holder: Holder): void {
  if (read(path)?.token === holder.token) rmSync(path, { force: true });
}

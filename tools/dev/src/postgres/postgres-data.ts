import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DevServerError, errorCode, errorOutput, type Report } from '../dev-server-error.js';
import { canReach, type ServerAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { runningProcess, stopLeftBehind } from '../running-process.js';

/** Kept over a restart of the machine, which a temporary folder is not. */
const systemData = '/var/lib/posthorn';

export interface PostgresData {
  /** As the user knows it; may be a link. */
  named: string;
  /** Where the files really lie. */
  directory: string;
  account: ServerAccount | null;
}

/** Finds or makes the data directory, and leaves nothing of an earlier server running on it. */
export async function preparePostgresData(
  preferred: string,
  binaries: PostgresBinaries,
  account: ServerAccount | null,
  report: Report,
): Promise<PostgresData> {
  const named = resolve(preferred);
  const directory = index(named, account, report);
  if (isFresh(directory)) {
    await initialise({ named, directory, account }, binaries, report);
  } else {
    checkVersion(named, binaries);
    await stopOrphan(directory, report);
  }
  return { named, directory, account: account && ownerOf(named) };
}

export function brokenData(directory: string, reason: string): DevServerError {
  return new DevServerError(
    `The PostgreSQL data directory ${directory} cannot be used: ${reason}\n` +
      `Put a backup in its place, or start with an empty one: mv ${directory} ${directory}.broken`,
  );
}

function index(preferred: string, account: ServerAccount | null, report: Report): string {
  try {
    mkdirSync(dirname(preferred), { recursive: true });
    if (account && !isLink(preferred) && !canReach(preferred, account))
      return putIntoSystem(preferred, report);
    if (!existsSync(preferred) && !isLink(preferred)) mkdirSync(preferred, { mode: 0o700 });
    const directory = realpathSync(preferred);
    readdirSync(directory);
    return directory;
  } catch (error) {
    throw brokenData(preferred, unusable(errorCode(error), error));
  }
}

function putIntoSystem(preferred: string, report: Report): string {
  const directory = unusedName(
    join(systemData, createHash('sha256').update(preferred).digest('hex').slice(0, 16)),
  );
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  if (existsSync(preferred)) {
    if (readdirSync(preferred).length > 0)
      throw new DevServerError(
        'it is not empty, and lies where the server, which may not run as root, cannot read it.',
      );
    rmSync(preferred, { recursive: true });
  }
  symlinkSync(directory, preferred);
  report(
    `PostgreSQL may not run as root and cannot read ${dirname(preferred)}: its data lies in ${directory}, linked from ${preferred}`,
  );
  return directory;
}

/** Data whose link was removed or moved away stays as it is: to the user it is no longer in this place, but it may still be wanted. */
function unusedName(first: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!existsSync(name)) return name;
  }
}

function unusable(code: string | undefined, error: unknown): string {
  if (code === 'EACCES' || code === 'EPERM')
    return 'it belongs to another user. Start as that user, or change its owner.';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is not a directory.';
  if (code === 'ENOENT') return 'it is a link to a place which does not exist.';
  return error instanceof Error ? error.message : String(error);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function isFresh(directory: string): boolean {
  return readdirSync(directory).length === 0;
}

/** Made aside and moved into place whole, so that a start that is killed half-way leaves nothing that looks like data. */
async function initialise(
  { named, directory, account }: PostgresData,
  binaries: PostgresBinaries,
  report: Report,
): Promise<void> {
  report(`Making a PostgreSQL ${binaries.majorVersion} data directory in ${directory}`);
  const aside = `${directory}.new`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { mode: 0o700 });
  if (account) chownSync(aside, account.uid, account.uid);
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  try {
    await promisify(execFile)(binaries.initdb, [...settings, `--pgdata=${aside}`], {
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: '/',
      ...(account ? { uid: account.uid, gid: account.uid } : {}),
    });
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw brokenData(named, `initdb failed:\n${errorOutput(error)}`);
  }
  renameSync(aside, directory);
}

function checkVersion(directory: string, { majorVersion }: PostgresBinaries): void {
  const file = join(directory, 'PG_VERSION');
  if (!existsSync(file))
    throw brokenData(
      directory,
      'it holds files, but no PG_VERSION, so it is not (or no longer) a PostgreSQL data directory.',
    );
  const found = readFileSync(file, 'utf8').trim();
  if (found !== majorVersion)
    throw brokenData(
      directory,
      `it was made by PostgreSQL ${found || '(unreadable)'}, and this is ${majorVersion}.`,
    );
}

async function stopOrphan(directory: string, report: Report): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const found = runningProcess(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
  if (found?.arguments.includes(directory)) {
    report(`Stopping the PostgreSQL server (process ${found.pid}) that an earlier start left behind`);
    await stopLeftBehind(found, 'The PostgreSQL server');
  }
  // The id may by now be another program's, and PostgreSQL would then refuse to start.
  rmSync(pidFile, { force: true });
}

function ownerOf(directory: string): ServerAccount {
  const { uid } = statSync(directory);
  if (uid === 0)
    throw brokenData(
      directory,
      'it belongs to root, and PostgreSQL may not run as root. Change its owner: chown -R 65534:65534 <directory>',
    );
  return { uid };
}

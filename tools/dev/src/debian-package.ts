import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorOutput, type Report } from './dev-server-error.js';

export interface DebianPackage {
  name: string;
  /** Where the wanted program may lie in the package. */
  files: string[];
  target: string;
  report: Report;
}

const environment = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
const timeout = 180_000;

/** Takes one program out of a package of the distribution, checked by apt, without installing it. Returns null, or what stood in the way. */
export async function fetchDebianPackage({
  name,
  files,
  target,
  report: log,
}: DebianPackage): Promise<string | null> {
  const folder = mkdtempSync(join(dirname(target), 'fetch-'));
  try {
    log(`Fetching ${name} from the Debian or Ubuntu archive into ${dirname(target)}`);
    const problem = await downloaded(name, folder, log);
    if (problem !== null) return problem;
    const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
    if (archive === undefined) return `apt-get download ${name} left no package.`;
    await promisify(execFile)('dpkg', ['-x', join(folder, archive), join(folder, 'unpacked')], {
      env: environment,
      timeout,
    });
    return located(files, join(folder, 'unpacked'), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function located(files: string[], unpacked: string, target: string): string | null {
  const source = files.map((file) => join(unpacked, file)).find((file) => existsSync(file));
  if (source === undefined) return `the package does not hold ${files.join(' or ')}.`;
  const aside = `${target}.${process.pid}`;
  copyFileSync(source, aside);
  renameSync(aside, target);
  return null;
}

async function downloaded(name: string, folder: string, report: Report): Promise<string | null> {
  const problem = await apt(['download', name], folder);
  if (problem === null || process.getuid?.() !== 0) return problem;
  report('Fetching the package lists (apt-get update)');
  return (await apt(['update'], folder)) ?? (await apt(['download', name], folder));
}

async function apt(texts: string[], cwd: string): Promise<string | null> {
  try {
    await promisify(execFile)('apt-get', ['-q', ...texts], { cwd, env: environment, timeout });
    return null;
  } catch (error) {
    return `apt-get ${texts.join(' ')} failed: ${errorOutput(error).split('\n').slice(-3).join(' ')}`;
  }
}

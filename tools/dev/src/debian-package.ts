import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorOutput, type Say } from './dev-server-error.js';

export interface DebianPackage {
  name: string;
  /** Where the wanted program may lie in the package. */
  files: string[];
  target: string;
  say: Say;
}

const environment = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
const timeout = 180_000;

/** Takes one program out of a package of the distribution, checked by apt, without installing it. Answers null, or what stood in the way. */
export async function fetchDebianPackage({ name, files, target, say }: DebianPackage): Promise<string | null> {
  const folder = mkdtempSync(join(dirname(target), 'fetch-'));
  try {
    say(`Fetching ${name} from the Debian or Ubuntu archive into ${dirname(target)}`);
    const problem = await downloaded(name, folder, say);
    if (problem !== null) return problem;
    const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
    if (archive === undefined) return `apt-get download ${name} left no package.`;
    await promisify(execFile)('dpkg', ['-x', join(folder, archive), join(folder, 'unpacked')], { env: environment, timeout });
    return placed(files, join(folder, 'unpacked'), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function placed(files: string[], unpacked: string, target: string): string | null {
  const source = files.map((file) => join(unpacked, file)).find((file) => existsSync(file));
  if (source === undefined) return `the package does not hold ${files.join(' or ')}.`;
  const aside = `${target}.${process.pid}`;
  copyFileSync(source, aside);
  renameSync(aside, target);
  return null;
}

async function downloaded(name: string, folder: string, say: Say): Promise<string | null> {
  const problem = await apt(['download', name], folder);
  if (problem === null || process.getuid?.() !== 0) return problem;
  say('Fetching the package lists (apt-get update)');
  return (await apt(['update'], folder)) ?? (await apt(['download', name], folder));
}

async function apt(words: string[], cwd: string): Promise<string | null> {
  try {
    await promisify(execFile)('apt-get', ['-q', ...words], { cwd, env: environment, timeout });
    return null;
  } catch (error) {
    return `apt-get ${words.join(' ')} failed: ${errorOutput(error).split('\n').slice(-3).join(' ')}`;
  }
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceStarter } from '../process-group.js';

/** Commits that brought a migration: what runs before the last of them knows an older schema. */
const migrating = ['log', '-1', '--format=%H', '--diff-filter=A', '--', 'apps/*/src/migrations/*'];

/** The release before the newest migration, built from the history; null where there is none, as in a copy of the files. */
export async function previousRelease(
  directory: string,
): Promise<{ commit: string; program: ServiceStarter } | null> {
  const commit = git('rev-parse', `${git(...migrating) ?? 'none'}^`);
  if (!commit) return null;
  const folder = join(directory, 'previous');
  mkdirSync(folder);
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C '${folder}'`]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['tools/build/build.mjs', '--quiet'], { cwd: folder, stdio: 'inherit' });
  const { href } = pathToFileURL(join(folder, 'dist/tools/dev/src/index.js'));
  const built = (await import(href)) as { ServiceProcess: ServiceStarter };
  return { commit, program: built.ServiceProcess };
}

function git(...texts: string[]): string | null {
  try {
    return (
      execFileSync('git', texts, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null
    );
  } catch {
    return null;
  }
}

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['bin', 'deploy', 'deploy/kubernetes', '.ci'];

/** What the shells themselves, and shellcheck where it is installed, refuse in our scripts. */
export function shellFindings(root: string): string[] {
  return shellScripts(root).flatMap((file) =>
    scriptFindings(join(root, file)).map((finding) => `${file}: ${finding}`),
  );
}

export function shellScripts(root: string): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(folder, entry.name) : [],
    ),
  );
  return files.filter((file) =>
    /^#!.*\b(ba)?sh\b/.test(readFileSync(join(root, file), 'utf8').split('\n')[0]!),
  );
}

export function scriptFindings(path: string): string[] {
  const shell = /\bbash\b/.test(readFileSync(path, 'utf8').split('\n')[0]!) ? 'bash' : 'sh';
  return [...refusals(shell, ['-n', path]), ...refusals('shellcheck', [path])];
}

function refusals(program: string, texts: string[]): string[] {
  try {
    execFileSync(program, texts, { stdio: 'pipe' });
    return [];
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: string; stdout?: Buffer; stderr?: Buffer };
    return code === 'ENOENT' && program === 'shellcheck'
      ? []
      : [`${program}: ${String(stderr ?? '').trim() || String(stdout ?? error).trim()}`];
  }
}

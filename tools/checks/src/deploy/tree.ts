import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceConfig, variablesOf, type ConfigShape } from '@posthorn/platform';

/** What the files of deployment may name. */
export interface Tree {
  has(path: string): boolean;
  isExecutable(path: string): boolean;
  /** Left out of what an image is built from (.dockerignore). */
  isIgnored(path: string): boolean;
  npmScripts: readonly string[];
  /** Every service with what it reads from the environment. */
  services: Readonly<Record<string, ConfigShape<ServiceConfig>>>;
}

const apps = fileURLToPath(new URL('../../../../apps/', import.meta.url));

export async function readTree(root: string): Promise<Tree> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const ignored = ignorePatterns(readFileSync(join(root, '.dockerignore'), 'utf8'));
  return {
    has: (path) => existsSync(join(root, path)),
    isExecutable: (path) => canExecute(join(root, path)),
    isIgnored: (path) => ignored.some((pattern) => pattern.test(path)),
    npmScripts: Object.keys(scripts),
    services: Object.fromEntries(
      await Promise.all(serviceNames(root).map(async (name) => [name, await configOf(name)])),
    ),
  };
}

/** A folder of apps/ with a service.ts is a service: a new one needs no entry here. */
export function serviceNames(root: string): string[] {
  return readdirSync(join(root, 'apps')).filter((name) =>
    existsSync(join(root, 'apps', name, 'src/service.ts')),
  );
}

async function configOf(name: string): Promise<ConfigShape<ServiceConfig>> {
  // Beside this file when it is compiled and when a test reads it as it was written.
  const file = ['js', 'ts']
    .map((extension) => join(apps, name, `src/config.${extension}`))
    .find((path) => existsSync(path));
  if (!file) return ServiceConfig;
  const exported = Object.values((await import(file)) as Record<string, unknown>);
  const shape = exported.find(
    (value) => typeof value === 'function' && Object.keys(variablesOf(value as ConfigShape)).length > 0,
  );
  return (shape ?? ServiceConfig) as ConfigShape<ServiceConfig>;
}

/** The part of the format that our file uses: whole names, and a leading `**` for any folder. */
export function ignorePatterns(text: string): RegExp[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const any = line.startsWith('**/');
    const name = line
      .slice(any ? 3 : 0)
      .replace(/[.+?^$()|[\]{}\\]/g, '\\$&')
      .replaceAll('*', '[^/]*');
    return new RegExp(`^${any ? '(.*/)?' : ''}${name}(/|$)`);
  });
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

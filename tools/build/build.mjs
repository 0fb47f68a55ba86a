// Compiles every TypeScript file of the tree into dist/, beside a copy of the assets it reads.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { buildOptions, root } from './swc-options.mjs';

const [major] = process.versions.node.split('.').map(Number);
if (major < 22) {
  console.error(
    `Node ${process.versions.node} is too old, and the newer one that comes with the packages was not installed here: install Node 22.19 or newer.`,
  );
  process.exit(1);
}

const roots = ['apps', 'libs', 'tools'];
const out = join(root, 'dist');
const quiet = process.argv.includes('--quiet');
const started = performance.now();
const compilerChanged = Math.max(
  ...['tools/build/swc-options.mjs', 'tsconfig.base.json', 'package-lock.json'].map((file) =>
    modified(join(root, file)),
  ),
);

const sources = roots.flatMap((folder) => walk(join(root, folder)));
const wanted = new Map(sources.map((file) => [target(file), file]));
removeStale();
const stale = [...wanted].filter(([to, from]) => modified(to) < Math.max(modified(from), compilerChanged));
await Promise.all(stale.map(([to, from]) => emit(from, to)));
if (!quiet && stale.length > 0)
  console.log(`built ${stale.length} files in ${Math.round(performance.now() - started)} ms`);

async function emit(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  if (!from.endsWith('.ts')) return copyFileSync(from, to);
  const { code, map } = await transformFile(from, {
    ...buildOptions,
    filename: from,
    sourceFileName: relative(dirname(to), from),
  });
  writeFileSync(`${to}.map`, map);
  writeFileSync(to, `${code}\n//# sourceMappingURL=${to.split('/').pop()}.map\n`);
}

function target(file) {
  return join(out, relative(root, file)).replace(/\.ts$/, '.js');
}

function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
    return isSource(entry.name) ? [path] : [];
  });
}

function isSource(name) {
  if (name.endsWith('.d.ts')) return false;
  return name.endsWith('.ts') ? !name.endsWith('.spec.ts') : /\.(html|css|svg|js|recorded\.json)$/.test(name);
}

function removeStale() {
  for (const folder of roots) {
    for (const file of existsSync(join(out, folder)) ? walkAll(join(out, folder)) : []) {
      if (!wanted.has(file.replace(/\.map$/, ''))) rmSync(file);
    }
  }
}

function walkAll(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

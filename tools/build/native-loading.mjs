// Tests are loaded by Node itself: TypeScript by swc, `@posthorn/x` by tsconfig.base.json, `@jest/globals` as those of the suite of the moment.
// Jest's own loader links every module anew for each suite, which takes longer than most suites do.
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { paths, root, swcOptions } from './swc-options.mjs';

const mapDirectory = process.env.POSTHORN_TEST_MAPS;
const globalsUrl = 'posthorn:jest-globals';
const globalNames = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'test'];

/** Where the map of each compiled module lies, as Jest's stack traces ask for it. */
export const sourceMaps = new Map();

/** What `describe`, `it` and `expect` are at the moment. */
export const suite = { globals: {} };

globalThis[Symbol.for(globalsUrl)] = (name) =>
  new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(suite.globals[name], self, args),
    get: (_, key) => suite.globals[name][key],
  });
const globalsSource = globalNames
  .map((name) => `export const ${name} = globalThis[Symbol.for('${globalsUrl}')]('${name}');`)
  .join('\n');

registerHooks({ resolve, load });

function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: globalsUrl, format: 'module', shortCircuit: true };
  const [library] = paths[specifier] ?? [];
  if (library) return next(pathToFileURL(join(root, library)).href, context);
  if (/^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

function load(url, context, next) {
  if (url === globalsUrl) return { format: 'module', source: globalsSource, shortCircuit: true };
  if (!url.startsWith('file:') || !/\.ts(\?|$)/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  const { code, map } = transformSync(readFileSync(filename, 'utf8'), {
    ...swcOptions,
    filename,
    swcrc: false,
    module: { type: 'es6' },
  });
  keepMap(url, filename, map);
  return { format: 'module', source: code, shortCircuit: true };
}

/** Frames of a stack name the module by its URL or by its file. */
function keepMap(url, filename, map) {
  if (!mapDirectory) return;
  const file = join(mapDirectory, `${createHash('sha1').update(filename).digest('hex')}.map`);
  if (!existsSync(file)) writeFileSync(file, map);
  sourceMaps.set(url, file).set(filename, file);
}

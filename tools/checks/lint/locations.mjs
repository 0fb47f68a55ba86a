// Where a file stands in the tree, and which file of ours an import means: the boundary rules ask nothing else.
import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')).compilerOptions;

/** A file of ours: `apps/contacts/src/lists/list.entity.ts` stands in area `apps`, in the unit `contacts`, at `lists/list.entity.ts`. */
export function placeOf(file) {
  const path = relative(root, file).split(sep).join(posix.sep);
  const [area, unit, ...rest] = path.split('/');
  if (!['apps', 'libs', 'tools'].includes(area) || rest.length === 0)
    return { path, area: null, unit: null, inner: path };
  return { path, area, unit, inner: (rest[0] === 'src' ? rest.slice(1) : rest).join('/') };
}

/** What `from` means by `specifier`: a package of others, or a place of ours and how it was named. */
export function targetOf(specifier, from) {
  if (specifier.startsWith('.'))
    return { kind: 'relative', place: placeOf(resolve(dirname(from), specifier.replace(/\.js$/, '.ts'))) };
  const own = /^(@posthorn\/[^/]+)(\/.*)?$/.exec(specifier);
  if (!own) return { kind: 'package', name: packageOf(specifier) };
  const [, name, deep] = own;
  const [index] = paths[name] ?? [`libs/${name.split('/')[1]}/src/index.ts`];
  return { kind: 'named', deep: deep !== undefined, place: placeOf(join(root, index)) };
}

/** Specs, `testing/` folders and the apps and tools that only drive the others. */
export function isTest({ path, area, unit }) {
  if (/\.spec\.ts$/.test(path) || /(^|\/)testing\//.test(path)) return true;
  return (
    (area === 'apps' && unit === 'e2e') ||
    (area === 'tools' && ['bench', 'chaos', 'checks', 'mutants'].includes(unit))
  );
}

function packageOf(specifier) {
  const bare = specifier.replace(/^node:/, '');
  return bare
    .split('/')
    .slice(0, bare.startsWith('@') ? 2 : 1)
    .join('/');
}

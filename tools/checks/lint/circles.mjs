// Which files of ours import each other in a circle. The graph is read once for a run of ESLint; types count like values.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, targetOf } from './locations.mjs';

const specifiers = /\b(?:from|import)\s*\(?\s*'([^'\n]+)'/g;
let circles;

/** The circle that both files stand in, or null. */
export function circleOf(path, target) {
  circles ??= circlesOf(graph());
  const circle = circles.get(path);
  return circle !== undefined && circle === circles.get(target) ? circle : null;
}

function graph() {
  const files = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root });
  const known = new Set(files);
  return new Map(files.map((file) => [file, importsOf(file).filter((path) => known.has(path))]));
}

function importsOf(file) {
  const path = join(root, file);
  return [...readFileSync(path, 'utf8').matchAll(specifiers)].flatMap(
    ([, specifier]) => targetOf(specifier, path).place?.path ?? [],
  );
}

/** Tarjan's strongly connected components of more than one file. */
function circlesOf(imports) {
  const state = new Map();
  const open = [];
  const found = new Map();
  const visit = (file) => {
    const own = { index: state.size, lowest: state.size, isOpen: true };
    state.set(file, own);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      const seen = state.get(target) ?? visit(target);
      if (seen.isOpen) own.lowest = Math.min(own.lowest, seen.lowest);
    }
    if (own.lowest === own.index) close(file);
    return own;
  };
  const close = (file) => {
    const circle = open.splice(open.indexOf(file)).sort();
    for (const each of circle) state.get(each).isOpen = false;
    if (circle.length > 1) for (const each of circle) found.set(each, circle);
  };
  for (const file of imports.keys()) if (!state.has(file)) visit(file);
  return found;
}

// `bin/check sizes`: no file over 400 lines, no function over 60, no folder over 25 files; prints the largest of each.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

interface Size {
  lines: number;
  name: string;
  limit: number;
}

const limits = { file: 400, function: 60, folder: 25 };
// Migrations only ever grow in number, and nobody reads them as one room.
const growingFolders = /(^|\/)migrations$/;
const shown = 10;
const root = fileURLToPath(new URL('../../../../', import.meta.url));

const files = sourceFiles();
const fileSizes = files.map((file) => ({
  name: file,
  lines: textOf(file).trimEnd().split('\n').length,
  limit: limits.file,
}));
const functionSizes = files
  .filter((file) => /\.m?[jt]s$/.test(file) && !file.endsWith('.spec.ts'))
  .flatMap(functionsOf);
const folderSizes = [...Map.groupBy(files, (file) => dirname(file))]
  .filter(([folder]) => !growingFolders.test(folder))
  .map(([name, { length }]) => ({ name, lines: length, limit: limits.folder }));
print('files', fileSizes);
print('functions', functionSizes);
const over = [...fileSizes, ...functionSizes, ...folderSizes].filter(({ lines, limit }) => lines > limit);
for (const { name, lines, limit } of over)
  console.log(
    `too large: ${name} has ${lines} of at most ${limit} ${folderSizes.some((folder) => folder.name === name) ? 'files' : 'lines'}`,
  );
process.exitCode = over.length === 0 ? 0 : 1;

function sourceFiles(): string[] {
  const folders = ['apps', 'libs', 'tools'].map((folder) => join(root, folder));
  return folders
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(m?[jt]s|html|css)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function functionsOf(file: string): Size[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const sizes: Size[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body)
      sizes.push({ name: `${file}:${nameOf(node)}`, lines: codeLines(node, source), limit: limits.function });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sizes;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const named =
    node.name ??
    (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent) ? node.parent.name : null);
  return named?.getText() ?? '(anonymous)';
}

/** Lines that hold a token: neither blank nor comment only. */
function codeLines(node: ts.Node, source: ts.SourceFile): number {
  const lines = new Set<number>();
  const visit = (part: ts.Node): void => {
    if (part.getChildCount(source) > 0) return part.getChildren(source).forEach(visit);
    const first = source.getLineAndCharacterOfPosition(part.getStart(source)).line;
    const last = source.getLineAndCharacterOfPosition(part.getEnd()).line;
    if (part.getWidth(source) > 0) for (let line = first; line <= last; line += 1) lines.add(line);
  };
  visit(node);
  return lines.size;
}

function print(what: string, sizes: Size[]): void {
  const sorted = [...sizes].sort((a, b) => b.lines - a.lines);
  const waitMs = sorted[Math.floor(sorted.length / 2)]?.lines ?? 0;
  console.log(`the ${shown} largest of ${sizes.length} ${what} (median ${waitMs}):`);
  for (const { lines, name } of sorted.slice(0, shown)) console.log(`${String(lines).padStart(5)}  ${name}`);
}

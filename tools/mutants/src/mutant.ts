import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

export interface Change {
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
}

/** The product, broken on purpose in one place, and the check that must notice. */
export interface Mutant extends Change {
  name: string;
  /** What is taken out, in words. */
  breaks: string;
  /** What has to go with it, where the product is safe twice. */
  also?: Change[];
  /** An npm script with its arguments, as in `chaos -- --sends 1000`. */
  run: string;
  /** What the red run says: another failure (a build, a busy port) proves nothing. */
  says: string;
}

const members = ['breaks', 'file', 'find', 'replace', 'run', 'says'] as const;

export function readMutants(directory: string): Mutant[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readMutant(basename(file, '.yaml'), readFileSync(join(directory, file), 'utf8')));
}

export function readMutant(name: string, text: string): Mutant {
  const content = parse(text) as Record<string, unknown>;
  const missing = members.filter((member) => typeof content[member] !== 'string');
  if (missing.length > 0) throw new Error(`the mutant ${name} lacks ${missing.join(', ')}`);
  return { name, ...(content as unknown as Omit<Mutant, 'name'>) };
}

export const changesOf = ({ file, find, replace, also = [] }: Mutant): Change[] => [
  { file, find, replace },
  ...also,
];

/** The source with the change; a text that is gone, or stands twice, is an error: the mutant has to follow the product. */
export function changed(name: string, { file, find, replace }: Change, source: string): string {
  const wanted = find.trimEnd();
  const positions = source.split(wanted).length - 1;
  if (positions !== 1)
    throw new Error(`the mutant ${name} finds its text ${positions} times in ${file}: bring it up to date`);
  return source.replace(wanted, () => replace.trimEnd());
}

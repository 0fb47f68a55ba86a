import { spansIn } from './spans.js';

const liquidMarks = [
  ['{{', '}}'],
  ['{%', '%}'],
] as const;

interface Span {
  start: number;
  end: number;
}

/** A text with a word in place of each piece of Liquid, for tools that know none and would change or drop it. */
export interface StandIns {
  text: string;
  all: readonly Span[];
  restore(text: string): string;
  isIn(text: string): boolean;
  notIn(text: string): Span[];
}

export function standIns(source: string): StandIns {
  const prefix = freeWord(source);
  const all = Array.from(spansIn(source, liquidMarks));
  const parts: string[] = [];
  let from = 0;
  all.forEach(({ start, end }, index) => {
    const breaks = source.slice(start, end).replace(/[^\n]/g, '');
    // The line breaks keep the line numbers of what follows.
    parts.push(source.slice(from, start), `${prefix}${index}z`, breaks);
    from = end;
  });
  const word = new RegExp(`${prefix}(\\d+)z`, 'g');
  const pieceOf = (index: string): string => {
    const { start, end } = all[Number(index)]!;
    return source.slice(start, end);
  };
  return {
    text: parts.join('') + source.slice(from),
    all,
    restore: (text) => text.replace(word, (_, index: string) => pieceOf(index)),
    isIn: (text) => text.includes(prefix),
    notIn: (text) => {
      const kept = new Set(Array.from(text.matchAll(word), ([, index]) => Number(index)));
      return all.filter((_, index) => !kept.has(index));
    },
  };
}

/** One that is a name in CSS, too, and never occurs in the source. */
function freeWord(source: string): string {
  const taken = source.toLowerCase();
  let word = 'lq';
  while (taken.includes(word)) word += 'q';
  return word;
}

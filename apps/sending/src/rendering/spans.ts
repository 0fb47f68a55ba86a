export interface Span {
  start: number;
  end: number;
}

type Marks = readonly (readonly [opening: string, closing: string])[];

// A lazy regular expression would search the rest of the text for each opening mark that nothing closes,
// which is quadratic.
export function* spansIn(text: string, marks: Marks): Generator<Span> {
  const found = marks.map(([opening, closing]) => ({
    opening,
    closing,
    at: text.indexOf(opening),
    last: text.lastIndexOf(closing),
  }));
  for (;;) {
    const [first] = found
      .filter(({ opening, at, last }) => at !== -1 && at + opening.length <= last)
      .sort((a, b) => a.at - b.at);
    if (!first) return;
    const end = text.indexOf(first.closing, first.at + first.opening.length) + first.closing.length;
    yield { start: first.at, end };
    for (const each of found) if (each.at !== -1 && each.at < end) each.at = text.indexOf(each.opening, end);
  }
}

export const blankSpans = (text: string, marks: Marks, letter: string): string =>
  blanked(text, spansIn(text, marks), letter);

/** Replaces each letter of the spans but the line breaks, so that positions stay right. */
export function blanked(text: string, spans: Iterable<Span>, letter: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, letter));
    from = end;
  }
  return parts.join('') + text.slice(from);
}

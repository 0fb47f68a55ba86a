export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = plain(name);
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; edits: number } | null = null;
  for (const candidate of known) {
    const other = plain(candidate);
    if (Math.abs(other.length - wanted.length) > most) continue;
    const edits = editsBetween(wanted, other);
    if (edits < (best?.edits ?? Infinity)) best = { name: candidate, edits };
  }
  return best && best.edits <= most ? best.name : null;
}

/** `html_body`, `htmlBody` and `html-body` are the same word. */
const plain = (name: string): string =>
  name
    .slice(0, maxLength)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');

const maxLength = 64;

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(next[column - 1]! + 1, last[column]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      next.push(edits);
    }
    [beforeLast, last] = [last, next];
  }
  return last[other.length]!;
}

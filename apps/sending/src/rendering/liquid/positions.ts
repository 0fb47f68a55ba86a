import { Token } from 'liquidjs';

export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Line and column, both from 1. */
export function positionOf(starts: readonly number[], index: number): [line: number, column: number] {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= index) low = middle;
    else high = middle;
  }
  return [low + 1, index - starts[low]! + 1];
}

let known = { text: '', starts: [0] };

/** The library counts lines from the beginning of the source for each token, which is quadratic for many tokens. */
export function countPositionsOnce(): void {
  Token.prototype.getPosition = function (this: Token) {
    if (known.text !== this.input) known = { text: this.input, starts: lineStarts(this.input) };
    return positionOf(known.starts, this.begin);
  };
}

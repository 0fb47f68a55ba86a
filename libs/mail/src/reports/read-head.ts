/** What reading lists and groups of addresses takes grows with the square of these. */
const maxSeparators = 4_000;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const separators = new Set([...':;,'].map((character) => character.charCodeAt(0)));

/** In one pass, before anything is parsed: so many lines. Null where the header is that of no mail. */
export function readHead(raw: Uint8Array, maxLines: number): Uint8Array | null {
  let end = 0;
  let found = 0;
  let isHeader = true;
  for (let lines = 0; lines < maxLines && end < raw.length; lines += 1) {
    const start = end;
    end = raw.indexOf(lineFeed, start) + 1 || raw.length;
    isHeader &&= raw[start] !== lineFeed && raw[start] !== carriageReturn;
    if (isHeader) found += countSeparators(raw, start, end);
    if (found > maxSeparators) return null;
  }
  return raw.subarray(0, end);
}

function countSeparators(raw: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (separators.has(raw[at]!)) count += 1;
  return count;
}

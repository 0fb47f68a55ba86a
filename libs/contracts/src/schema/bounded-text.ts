const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** A text that any row and any event can hold: without NUL and lone surrogates, which Postgres refuses, and cut between characters. */
export function boundedText(text: string, maxLength: number): string {
  const clean = text.replaceAll('\0', '').toWellFormed();
  if (clean.length <= maxLength) return clean;
  return clean.slice(0, isHighSurrogate(clean.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength);
}

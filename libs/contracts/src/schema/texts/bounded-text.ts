const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Removes NUL and lone surrogates, which Postgres refuses, and cuts between characters, so that any row and event can hold the text. */
export function boundedText(text: string, maxLength: number): string {
  const clean = text.replaceAll('\0', '').toWellFormed();
  if (clean.length <= maxLength) return clean;
  return clean.slice(0, isHighSurrogate(clean.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength);
}

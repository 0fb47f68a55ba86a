import { storableText } from './storable.js';

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Without NUL and lone surrogates, which Postgres refuses; cut between characters. */
export function boundedText(text: string, maxLength: number): string {
  const clean = storableText(text);
  if (clean.length <= maxLength) return clean;
  return clean.slice(0, isHighSurrogate(clean.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength);
}

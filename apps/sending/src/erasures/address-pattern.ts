import { domainToUnicode } from 'node:url';

// Of "xada@b.example" nothing is Ada's. But what stands before it may be written as %3D in a link, or as \n in JSON.
const before = String.raw`(?:(?<![[:alnum:]._%+-])|(?<=%[0-9a-f][0-9a-f])|(?<=\\[bfnrt]))`;
const after = String.raw`(?![[:alnum:]-]|\.[[:alnum:]])`;

/** The address wherever words, links, tables and JSON name it: a regular expression of Postgres, for any case. */
export function addressPattern(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const domains = [...new Set([domain, domainToUnicode(domain)])].map(written).join('|');
  return `${before}${written(email.slice(0, at))}${written('@')}(?:${domains})${after}`;
}

const written = (text: string): string => Array.from(text, character).join('');

/** As it is, or as a link has it. */
function character(one: string): string {
  if (/[a-z0-9]/.test(one)) return one;
  const plain = /[\u0000-\u007f]/.test(one) ? `\\${one}` : one;
  return /[._-]/.test(one) ? plain : `(?:${plain}|${percentOf(one)})`;
}

const percentOf = (one: string): string =>
  Array.from(Buffer.from(one), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** `column` without the address; both are parameters of the statement. */
export const without = (column: string, pattern: string, hash: string): string =>
  `regexp_replace(${column}, ${pattern}, ${hash}, 'gi')`;

import { domainToUnicode } from 'node:url';

// "xada@b.example" is another address than "ada@b.example"; but a link may have %3D before the address, and JSON a \n.
const before = String.raw`(?:(?<![[:alnum:]._%+-])|(?<=%[0-9a-f][0-9a-f])|(?<=\\[bfnrt]))`;
const after = String.raw`(?![[:alnum:]-]|\.[[:alnum:]])`;

/** A case-insensitive Postgres regular expression that finds the address in text, links, lists and JSON. */
export function addressPattern(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const domains = [...new Set([domain, domainToUnicode(domain)])].map(written).join('|');
  return `${before}${written(email.slice(0, at))}${written('@')}(?:${domains})${after}`;
}

const written = (text: string): string => Array.from(text, character).join('');

function character(one: string): string {
  if (/[a-z0-9]/.test(one)) return one;
  const plain = /[\u0000-\u007f]/.test(one) ? `\\${one}` : one;
  return /[._-]/.test(one) ? plain : `(?:${plain}|${percentOf(one)})`;
}

const percentOf = (one: string): string =>
  Array.from(Buffer.from(one), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

export const without = (column: string, pattern: string, hash: string): string =>
  `regexp_replace(${column}, ${pattern}, ${hash}, 'gi')`;

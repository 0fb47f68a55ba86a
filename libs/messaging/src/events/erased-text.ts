import { domainToUnicode } from 'node:url';
import { erasedAddress } from '@posthorn/contracts';

function written(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character;
  const plain = /[\\^$.*+?()[\]{}|]/.test(character) ? `\\${character}` : character;
  return /[._-]/.test(character) ? plain : `(?:${plain}|${percentOf(character)})`;
}

const percentOf = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

function form(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  const domains = [...new Set([domain, domainToUnicode(domain)])].map((each) =>
    Array.from(each, written).join(''),
  );
  return `${Array.from(email.slice(0, at), written).join('')}(?:${domains.join('|')})`;
}

/** Also matches within longer words: a cheap first filter. */
export const anyOf = (emails: readonly string[]): string => emails.map(form).join('|');

/** Matches whole addresses only, in any case. */
export const addressesIn = (emails: readonly string[]): RegExp =>
  new RegExp(
    `(?:(?<![\\p{L}\\p{N}._+-])|(?<=%[0-9a-f]{2}))(?:${anyOf(emails)})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
    'giu',
  );

/** Free words about mail to a person, which may contain more than the address, such as a name. */
const freeTexts: ReadonlySet<string> = new Set(['subject', 'metadata', 'providerMessageId']);
/** The same, in members that an event must have. */
const requiredTexts: ReadonlySet<string> = new Set(['reason', 'link']);

export function withoutAddresses<T>(value: T, addresses: RegExp): T {
  return rewritten(value, addresses) as T;
}

function rewritten(value: unknown, addresses: RegExp): unknown {
  if (typeof value === 'string') return value.replace(addresses, erasedAddress);
  if (Array.isArray(value)) return value.map((item) => rewritten(item, addresses));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const { to } = value as { to?: unknown };
  const isToThem = typeof to === 'string' && to.replace(addresses, erasedAddress) === erasedAddress;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isToThem && freeTexts.has(name)))
      .map(([name, member]) => [
        name.replace(addresses, erasedAddress),
        isToThem && requiredTexts.has(name) ? null : rewritten(member, addresses),
      ]),
  );
}

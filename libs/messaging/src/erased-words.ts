import { erasedAddress } from '@posthorn/contracts';

/** As both Postgres and JavaScript read it. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Any of these addresses, in any case, also as a part of another word: a first look for where the second one is dear. */
export const anyOf = (emails: readonly string[]): string => emails.map(escaped).join('|');

/** These addresses where they stand for themselves, and are not the end or the beginning of a longer one. */
export const addressesIn = (emails: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}._+-])(?:${anyOf(emails)})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'giu');

/** The same JSON with the address of nobody in their place, in its names too. */
export function withoutAddresses<T>(value: T, addresses: RegExp): T {
  return rewritten(value, addresses) as T;
}

function rewritten(value: unknown, addresses: RegExp): unknown {
  if (typeof value === 'string') return value.replace(addresses, erasedAddress);
  if (Array.isArray(value)) return value.map((item) => rewritten(item, addresses));
  // A date is written as its JSON is.
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replace(addresses, erasedAddress), rewritten(member, addresses)]),
  );
}

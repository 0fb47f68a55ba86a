import { isIP, isIPv4, isIPv6 } from 'node:net';

export type Qualifier = '+' | '-' | '~' | '?';
type MechanismName = 'all' | 'include' | 'a' | 'mx' | 'ip4' | 'ip6' | 'exists' | 'ptr';

export interface Mechanism {
  text: string;
  qualifier: Qualifier;
  name: MechanismName;
  /** A domain, or an address; empty where the record names none. */
  target: string;
  bits4: number;
  bits6: number;
}

export interface SpfRecord {
  mechanisms: Mechanism[];
  redirect: string | null;
}

/** A mistake that makes the whole record invalid, a `permerror` (RFC 7208 §2.6.7). */
export class SpfMistake extends Error {
  override readonly name = 'SpfMistake';
}

const modifier = /^([a-z][\w.-]*)=(.*)$/i;
const mechanism =
  /^([+?~-]?)(all|include|a|mx|ip4|ip6|exists|ptr)(?::([^/]*(?:\/(?!\d|\/\d)[^/]*)*))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/i;
const needTarget: readonly MechanismName[] = ['include', 'exists', 'ip4', 'ip6'];

export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text.trim());

/** RFC 7208 §4.6.1: whatever is wrong in a record, it counts as a whole. */
export function parseSpf(text: string): SpfRecord {
  const record: SpfRecord = { mechanisms: [], redirect: null };
  for (const term of text.trim().split(/ +/).slice(1)) {
    const [, name, value] = modifier.exec(term) ?? [];
    if (name === undefined) record.mechanisms.push(parseMechanism(term));
    else if (name.toLowerCase() === 'redirect') {
      if (record.redirect !== null) throw new SpfMistake('The record has redirect= twice');
      if (!value) throw new SpfMistake('redirect= names no domain');
      record.redirect = value;
    }
  }
  return record;
}

function parseMechanism(term: string): Mechanism {
  const [, sign, written, target, first, second] = mechanism.exec(term) ?? [];
  if (written === undefined) throw new SpfMistake(`${term} is not a term of SPF`);
  const name = written.toLowerCase() as MechanismName;
  if ((needTarget.includes(name) && !target) || target === '')
    throw new SpfMistake(`${term} lacks its value`);
  const [bits4, bits6] =
    name === 'ip6' ? [32, Number(first ?? 128)] : [Number(first ?? 32), Number(second ?? 128)];
  if (bits4 > 32 || bits6 > 128) throw new SpfMistake(`${term} has too many bits`);
  if ((name === 'ip4' && !isIPv4(target!)) || (name === 'ip6' && !isIPv6(target!)))
    throw new SpfMistake(`${term} has no ${name === 'ip4' ? 'IPv4' : 'IPv6'} address`);
  if (target !== undefined && /[^!-+\--~]/.test(target))
    throw new SpfMistake(`${term} has a character that no name has`);
  if (name === 'a' && target !== undefined && isIP(target) !== 0)
    throw new SpfMistake(`${term} needs a host name; an address is written as ip${isIP(target)}:`);
  return { text: term, qualifier: (sign || '+') as Qualifier, name, target: target ?? '', bits4, bits6 };
}

import { BlockList, isIPv4, isIP, isIPv6 } from 'node:net';
import type { RecordStatus } from '@posthorn/contracts';
import type { DnsLookup } from './dns-lookup.js';

/** Who sends: a host, or whoever a record of its provider names. */
export interface SpfSender {
  mailHost: string | undefined;
  include: string | undefined;
}

export interface SpfFinding {
  status: RecordStatus;
  /** What is wrong; null where nothing is, or where it is not known. */
  problem: string | null;
}

type Result = Qualifier | 'none';

/** RFC 7208 §4.6.4. */
const limits = { lookups: 10, empty: 2, hosts: 10 };
const said: Record<Exclude<Result, '+'>, string> = {
  '-': 'refuses mail from this installation',
  '~': 'does not name this installation, so that its mail gets a softfail',
  '?': 'says nothing of mail from this installation',
  none: 'does not name this installation',
};

class NoAnswer extends Error {}

/** Whether servers that get mail with this return path find that it may come from here: the result is `pass` for each address of the host. */
export async function checkSpf(
  domain: string,
  sender: SpfSender,
  dns: Pick<DnsLookup, 'txt' | 'mx' | 'addresses'>,
  signal: AbortSignal,
): Promise<SpfFinding> {
  try {
    const own = sender.mailHost ? await dns.addresses(sender.mailHost, signal) : [];
    const results = await Promise.all(
      // Without an address only what names the host or its provider can match.
      (own && own.length > 0 ? own : [null]).map(async (address) => ({
        address,
        result: await new SpfEvaluation(sender, address, dns, signal).of(domain),
      })),
    );
    const other = results.find(({ result }) => result !== '+');
    if (!other) return { status: 'VERIFIED', problem: null };
    // With the addresses it may be another result.
    if (own === null) return { status: 'PENDING', problem: null };
    const { address, result } = other as { address: string | null; result: Exclude<Result, '+'> };
    return { status: 'FAILED', problem: `The record ${said[result]}${address ? ` (${address})` : ''}` };
  } catch (error) {
    if (error instanceof SpfMistake) return { status: 'FAILED', problem: error.message };
    if (error instanceof NoAnswer) return { status: 'PENDING', problem: null };
    throw error;
  }
}

class SpfEvaluation {
  private lookups = 0;
  private empty = 0;

  constructor(
    private readonly sender: SpfSender,
    private readonly address: string | null,
    private readonly dns: Pick<DnsLookup, 'txt' | 'mx' | 'addresses'>,
    private readonly signal: AbortSignal,
  ) {}

  async of(domain: string): Promise<Result> {
    const record = await this.recordOf(domain);
    if (!record) throw new SpfMistake(`${domain} has no SPF record`);
    for (const mechanism of record.mechanisms)
      if (await this.matches(mechanism, domain)) return mechanism.qualifier;
    if (record.redirect === null) return 'none';
    this.count(`redirect=${record.redirect}`);
    return isSame(record.redirect, this.sender.include) ? '+' : this.of(record.redirect);
  }

  private async recordOf(domain: string): Promise<SpfRecord | null> {
    const records = (await this.answer(this.dns.txt(domain, this.signal))).filter(isSpf);
    if (records.length > 1)
      throw new SpfMistake(`${domain} has ${records.length} SPF records instead of one`);
    return records.length === 1 ? parseSpf(records[0]!) : null;
  }

  private async matches(mechanism: Mechanism, domain: string): Promise<boolean> {
    const { name, text, target } = mechanism;
    if (name === 'all') return true;
    if (name === 'ip4' || name === 'ip6') return this.isIn(target, mechanism);
    this.count(text);
    // Macros expand to the address or the sender of one message.
    if (target.includes('%')) return false;
    switch (name) {
      case 'include':
        return isSame(target, this.sender.include) || (await this.of(target)) === '+';
      case 'a':
        return isSame(target || domain, this.sender.mailHost) || this.isOf(target || domain, mechanism);
      case 'mx':
        return this.isOfServers(target || domain, mechanism);
      case 'exists':
        return (await this.counted(this.dns.addresses(target, this.signal), text)).length > 0;
      case 'ptr':
        return false;
    }
  }

  private async isOf(host: string, mechanism: Mechanism): Promise<boolean> {
    const addresses = await this.counted(this.dns.addresses(host, this.signal), mechanism.text);
    return addresses.some((address) => this.isIn(address, mechanism));
  }

  private async isOfServers(domain: string, mechanism: Mechanism): Promise<boolean> {
    const hosts = await this.counted(this.dns.mx(domain, this.signal), mechanism.text);
    if (hosts.length > limits.hosts)
      throw new SpfMistake(`${mechanism.text} names more than ${limits.hosts} mail servers`);
    if (hosts.some((host) => isSame(host, this.sender.mailHost))) return true;
    for (const host of hosts) {
      const addresses = await this.answer(this.dns.addresses(host, this.signal));
      if (addresses.some((address) => this.isIn(address, mechanism))) return true;
    }
    return false;
  }

  private isIn(network: string, { bits4, bits6 }: Mechanism): boolean {
    if (this.address === null) return false;
    const range = new BlockList();
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    if (isIPv4(this.address) !== (family === 'ipv4')) return false;
    range.addSubnet(network, family === 'ipv4' ? bits4 : bits6, family);
    return range.check(this.address, family);
  }

  private count(term: string): void {
    this.lookups += 1;
    if (this.lookups > limits.lookups)
      throw new SpfMistake(`${term} is lookup ${this.lookups}, and SPF allows ${limits.lookups}`);
  }

  private async counted(asked: Promise<readonly string[] | null>, term: string): Promise<readonly string[]> {
    const found = await this.answer(asked);
    if (found.length === 0) this.empty += 1;
    if (this.empty > limits.empty)
      throw new SpfMistake(`${term} is the third name that does not exist, and SPF allows ${limits.empty}`);
    return found;
  }

  private async answer(asked: Promise<readonly string[] | null>): Promise<readonly string[]> {
    const found = await asked;
    if (found === null) throw new NoAnswer();
    return found;
  }
}

const bare = (host: string): string => host.toLowerCase().replace(/\.$/, '');
const isSame = (host: string, other: string | undefined): boolean =>
  other !== undefined && bare(host) === bare(other);

type Qualifier = '+' | '-' | '~' | '?';
type MechanismName = 'all' | 'include' | 'a' | 'mx' | 'ip4' | 'ip6' | 'exists' | 'ptr';

interface Mechanism {
  text: string;
  qualifier: Qualifier;
  name: MechanismName;
  /** A domain, or an address; empty where the record names none. */
  target: string;
  bits4: number;
  bits6: number;
}

interface SpfRecord {
  mechanisms: Mechanism[];
  redirect: string | null;
}

/** A mistake that makes the whole record invalid, a `permerror` (RFC 7208 §2.6.7). */
class SpfMistake extends Error {
  override readonly name = 'SpfMistake';
}

const modifier = /^([a-z][\w.-]*)=(.*)$/i;
const mechanism =
  /^([+?~-]?)(all|include|a|mx|ip4|ip6|exists|ptr)(?::([^/]*(?:\/(?!\d|\/\d)[^/]*)*))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/i;
const needTarget: readonly MechanismName[] = ['include', 'exists', 'ip4', 'ip6'];

const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text.trim());

/** RFC 7208 §4.6.1: whatever is wrong in a record, it counts as a whole. */
function parseSpf(text: string): SpfRecord {
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

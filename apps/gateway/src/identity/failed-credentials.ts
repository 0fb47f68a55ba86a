import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';

const windowMs = 60_000;
/** Bounds the memory; beyond it the oldest addresses are forgotten. */
const maxAddresses = 20_000;

interface Failures {
  failed: number;
  until: number;
}

/** Counts invalid credentials per address, in one-minute windows that start with the first. */
@Injectable()
export class FailedCredentials {
  private readonly windows = new Map<string, Failures>();

  constructor(private readonly config: GatewayConfig) {}

  get addresses(): number {
    return this.windows.size;
  }

  waitOf(address: string): number {
    const attempts = this.windows.get(networkOf(address));
    const left = (attempts?.until ?? 0) - performance.now();
    const spent =
      this.config.rateLimitEnabled && (attempts?.failed ?? 0) >= this.config.failedAttemptsPerMinute;
    return spent && left > 0 ? Math.ceil(left / 1_000) : 0;
  }

  count(address: string): void {
    const network = networkOf(address);
    const now = performance.now();
    const known = this.windows.get(network);
    if (known && known.until > now) known.failed += 1;
    else this.begin(network, { failed: 1, until: now + windowMs });
  }

  private begin(network: string, attempts: Failures): void {
    this.windows.delete(network);
    this.windows.set(network, attempts);
    if (this.windows.size > maxAddresses) this.windows.delete(this.windows.keys().next().value!);
  }
}

/** One IPv6 client usually has a whole /64. As better-auth spells it, so that both count by the same key. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address.split('%')[0]!.toLowerCase());
  if (groups.slice(0, 6).join(':') === mappedIPv4) return dottedOf(groups[6]! + groups[7]!);
  return [...groups.slice(0, 4), '0000', '0000', '0000', '0000'].join(':');
}

const mappedIPv4 = '0000:0000:0000:0000:0000:ffff';

function groupsOf(address: string): string[] {
  const [head, tail] = address.replace(/[\d.]+$/, hexOf).split('::') as [string, string?];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(missing).fill('0'), ...last].map((group) => group.padStart(4, '0'));
}

const dottedOf = (hex: string): string => [...Buffer.from(hex, 'hex')].join('.');

/** An address may end like one of IPv4, such as `::ffff:192.0.2.1`. */
function hexOf(end: string): string {
  if (!end.includes('.')) return end;
  const hex = Buffer.from(end.split('.').map(Number)).toString('hex');
  return `${hex.slice(0, 4)}:${hex.slice(4)}`;
}

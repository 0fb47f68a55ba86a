import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What is wrong with the ranges of INBOUND_PROXY_PROTOCOL, or undefined. */
export function rangesProblem(text: string): string | undefined {
  const wrong = partsOf(text).find((part) => rangeOf(part) === null);
  return wrong === undefined
    ? undefined
    : `contains ${wrong}, which is no address and no range such as 10.0.0.0/8`;
}

export class ProxyRanges {
  private readonly ranges: Range[];

  constructor(text = '') {
    this.ranges = partsOf(text).flatMap((part) => rangeOf(part) ?? []) as Range[];
  }

  has(address = ''): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.ranges.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }
}

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function rangeOf(part: string): [Range] | null {
  if (ipaddr.isValidCIDR(part)) return [ipaddr.parseCIDR(part)];
  if (!ipaddr.isValid(part)) return null;
  const address = ipaddr.process(part);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

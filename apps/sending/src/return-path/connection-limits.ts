import ipaddr from 'ipaddr.js';

/** Who rents one machine has a network, who rents many has a block. */
const widths = { network: { ipv4: 24, ipv6: 64 }, block: { ipv4: 16, ipv6: 48 } } as const;

export interface ConnectionLimitsOptions {
  all: number;
  perNetwork: number;
  perBlock: number;
  /** Of all, for blocks that have no connection open. */
  reserve: number;
}

/** Who holds connections holds a part of them: the last ones are for everyone else (docs/decisions/0032-bytes-of-strangers.md). */
export class ConnectionLimits {
  private readonly open = new Map<string, number>();
  private total = 0;

  constructor(private readonly options: ConnectionLimitsOptions) {}

  /** Gives the place back; null where there is none. */
  take(address: string): (() => void) | null {
    const [network, block] = [rangeOf(address, widths.network), rangeOf(address, widths.block)];
    if (!this.hasPlace(network, block)) return null;
    this.count([network, block], 1);
    return () => this.count([network, block], -1);
  }

  private hasPlace(network: string, block: string): boolean {
    const { all, perNetwork, perBlock, reserve } = this.options;
    const ofBlock = this.openOf(block);
    if (this.openOf(network) >= perNetwork || ofBlock >= perBlock) return false;
    return this.total < (ofBlock === 0 ? all : all - reserve);
  }

  private openOf(range: string): number {
    return this.open.get(range) ?? 0;
  }

  private count(ranges: readonly string[], by: 1 | -1): void {
    this.total += by;
    for (const range of ranges) {
      const open = this.openOf(range) + by;
      if (open > 0) this.open.set(range, open);
      else this.open.delete(range);
    }
  }
}

function rangeOf(address: string, { ipv4, ipv6 }: { ipv4: number; ipv6: number }): string {
  const parsed = parse(address);
  if (!parsed) return `${address}/${ipv4}`;
  const bits = parsed.kind() === 'ipv4' ? ipv4 : ipv6;
  return `${parsed
    .toByteArray()
    .slice(0, bits / 8)
    .join('.')}/${bits}`;
}

/** In one spelling, whoever reports it. */
export const plainAddress = (address: string): string => parse(address)?.toNormalizedString() ?? address;

/** An IPv4 client of a socket for both kinds has an IPv6 address. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const withoutZone = address.replace(/%.*$/, '');
  return ipaddr.isValid(withoutZone) ? ipaddr.process(withoutZone) : null;
}

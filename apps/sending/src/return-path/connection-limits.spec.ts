import { describe, expect, it } from '@jest/globals';
import { ConnectionLimits } from './connection-limits.js';

const options = { all: 10, perNetwork: 3, perBlock: 5, reserve: 4 };
const taken = (limits: ConnectionLimits, addresses: readonly string[]): number =>
  addresses.filter((address) => limits.take(address) !== null).length;
const addressesOf = (count: number, address: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => address(index));

describe('places for connections', () => {
  it.each([
    ['addresses of one IPv4 network', (index: number) => `198.51.100.${index}`],
    ['the same in a socket for both kinds', (index: number) => `::ffff:198.51.100.${index}`],
    ['addresses of one IPv6 /64', (index: number) => `2001:db8:0:1::${(index + 1).toString(16)}`],
  ])('are few for %s', (_, address) => {
    expect(taken(new ConnectionLimits(options), addressesOf(100, address))).toBe(options.perNetwork);
  });

  it.each([
    ['IPv4', (index: number) => `198.51.${index}.1`],
    ['IPv6', (index: number) => `2001:db8:0:${index.toString(16)}::1`],
  ])('are not many more for all networks of one block of %s', (_, address) => {
    expect(taken(new ConnectionLimits(options), addressesOf(100, address))).toBe(options.perBlock);
  });

  it('are left for others, whatever two or three blocks hold', () => {
    const limits = new ConnectionLimits(options);
    for (const block of ['198.51', '203.0', '192.0'])
      taken(
        limits,
        addressesOf(100, (index) => `${block}.${index}.1`),
      );
    expect(limits.take('2001:db8::1')).not.toBeNull();
  });

  it('are free again when a connection ends', () => {
    const limits = new ConnectionLimits(options);
    const held = addressesOf(3, () => '198.51.100.1').map((address) => limits.take(address)!);
    expect(limits.take('198.51.100.1')).toBeNull();
    held[0]!();
    expect(limits.take('198.51.100.1')).not.toBeNull();
    expect(limits.take('198.51.100.1')).toBeNull();
  });

  it('are counted for an address that cannot be read', () => {
    expect(
      taken(
        new ConnectionLimits(options),
        addressesOf(9, () => ''),
      ),
    ).toBe(options.perNetwork);
  });
});

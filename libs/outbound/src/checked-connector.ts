import { lookup as lookupBySystem } from 'node:dns/promises';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { refuseAddress, type OutboundRules } from './outbound-url.js';

interface ConnectorOptions {
  rules: OutboundRules;
  /** Asked instead of the system's, `address:port`. */
  nameServers?: readonly string[];
  timeoutMs: number;
}

interface FoundAddress {
  address: string;
  family: 4 | 6;
}

/**
 * Connects only to addresses that were checked: a name is resolved once, here, and refused as a whole if one of its addresses is; the address
 * that the socket really connected to is checked once more.
 */
export function checkedConnector({
  rules,
  nameServers,
  timeoutMs,
}: ConnectorOptions): buildConnector.connector {
  const resolve = resolverOf(nameServers);
  const lookup: LookupFunction = (hostname, _, callback) => {
    resolve(hostname)
      .then((found) => {
        for (const { address } of found) refuseAddress(address, rules);
        callback(null, found);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, []));
  };
  const connect = buildConnector({ lookup, autoSelectFamily: true, allowH2: false, timeout: timeoutMs });
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      try {
        refuseAddress(socket.remoteAddress ?? '', rules);
        callback(null, socket);
      } catch (refused) {
        socket.destroy();
        callback(refused as Error, null);
      }
    });
}

function resolverOf(nameServers?: readonly string[]): (hostname: string) => Promise<FoundAddress[]> {
  if (!nameServers)
    return async (hostname) => (await lookupBySystem(hostname, { all: true })) as FoundAddress[];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers(nameServers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
    ];
    if (found.length === 0)
      throw v4.status === 'rejected'
        ? v4.reason
        : v6.status === 'rejected'
          ? v6.reason
          : new Error('no address');
    return found;
  };
}

import names from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { refuseAddress, type OutboundRules } from './outbound-url.js';

interface ConnectorOptions {
  rules: OutboundRules;
  /** Asked instead of those of the machine, `address:port`. */
  nameServers?: readonly string[];
  timeoutMs: number;
}

export interface CheckedConnector {
  connector: buildConnector.connector;
  /** Name servers that do not answer would be asked for a while. */
  stop(): void;
}

interface FoundAddress {
  address: string;
  family: 4 | 6;
}

/**
 * Connects only to addresses that were checked: a name is resolved once, here, and refused as a whole if one of its addresses is; the address
 * that the socket really connected to is checked once more.
 */
export function checkedConnector({ rules, nameServers, timeoutMs }: ConnectorOptions): CheckedConnector {
  const { resolve, stop } = resolverOf(rules, nameServers);
  const lookup: LookupFunction = (hostname, _, callback) => {
    resolve(hostname)
      .then((found) => {
        for (const { address } of found) refuseAddress(address, rules);
        callback(null, found);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, []));
  };
  const connect = buildConnector({ lookup, autoSelectFamily: true, allowH2: false, timeout: timeoutMs });
  const connector: buildConnector.connector = (options, callback) =>
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
  return { connector, stop };
}

/** Name servers are asked without the system's lookup, which has four threads for the whole process: names that nobody answers for would hold them. */
function resolverOf(
  { allowPrivate }: OutboundRules,
  nameServers?: readonly string[],
): { resolve(hostname: string): Promise<FoundAddress[]>; stop(): void } {
  // Once a name server was quick, it gets less time, and twice as much with each further try.
  const resolver = new names.Resolver({ timeout: 2_000, tries: 4 });
  resolver.setServers(nameServers ?? names.getServers());
  const resolve = async (hostname: string) => {
    if (hostname === 'localhost') return systemAddresses(hostname);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
    ];
    if (found.length > 0) return found;
    const fault: NodeJS.ErrnoException =
      v4.status === 'rejected' ? v4.reason : v6.status === 'rejected' ? v6.reason : new Error('no address');
    // Where private addresses are allowed, names of the hosts file are, too.
    if (allowPrivate && !nameServers && !unanswered.has(fault.code ?? '')) return systemAddresses(hostname);
    throw fault;
  };
  return { resolve, stop: () => resolver.cancel() };
}

const unanswered: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECANCELLED']);

const systemAddresses = async (hostname: string): Promise<FoundAddress[]> =>
  (await names.lookup(hostname, { all: true })) as FoundAddress[];

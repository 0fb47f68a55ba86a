import { isIP } from 'node:net';
import { isMetadataAddress, isPublicAddress } from './public-address.js';

export interface OutboundRules {
  /** Lifts the rules about addresses and ports, but for the metadata addresses of clouds. */
  allowPrivate: boolean;
  /** Allowed ports, unless `allowPrivate`. */
  ports: readonly number[];
}

/** Why a request does not leave; each can be shown to whoever entered the URL. */
export const outboundRefusals = {
  url: 'is not a URL',
  scheme: 'must be http or https',
  credentials: 'must not contain a user name or password',
  port: 'has a port that is not allowed',
  address: 'leads to an address that is not public',
  redirects: 'redirects too often',
} as const;
export type OutboundRefusal = keyof typeof outboundRefusals;

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export class RefusedTarget extends Error {
  constructor(readonly refusal: OutboundRefusal) {
    super(`The target ${outboundRefusals[refusal]}`);
  }
}

/** The parsed URL is what the request uses: nothing parses the text a second time. Throws RefusedTarget. */
export function targetOf(text: string, rules: OutboundRules, base?: URL): URL {
  const url = parsed(text, base);
  const defaultPort = defaultPorts[url.protocol];
  if (defaultPort === undefined) throw new RefusedTarget('scheme');
  if (url.username !== '' || url.password !== '') throw new RefusedTarget('credentials');
  if (!rules.allowPrivate && !rules.ports.includes(Number(url.port) || defaultPort))
    throw new RefusedTarget('port');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) refuseAddress(host, rules);
  return url;
}

export function refuseAddress(address: string, { allowPrivate }: OutboundRules): void {
  const isAllowed = allowPrivate
    ? isIP(address) !== 0 && !isMetadataAddress(address)
    : isPublicAddress(address);
  if (!isAllowed) throw new RefusedTarget('address');
}

function parsed(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw new RefusedTarget('url');
  }
}

import type { GatewayConfig } from '../../config.js';

/** A page of ours: the public address itself, and what the operator names beside it. */
export function isTrustedOrigin(
  { trustedOrigins }: Pick<GatewayConfig, 'trustedOrigins'>,
  headers: readonly string[],
): boolean {
  return headers.length === 1 && trustedOrigins.includes(headers[0]!.toLowerCase());
}

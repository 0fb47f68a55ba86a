import type { GatewayConfig } from '../../config.js';

/** The public URL or an origin configured by the operator. */
export function isTrustedOrigin(
  { trustedOrigins }: Pick<GatewayConfig, 'trustedOrigins'>,
  headers: readonly string[],
): boolean {
  return headers.length === 1 && trustedOrigins.includes(headers[0]!.toLowerCase());
}

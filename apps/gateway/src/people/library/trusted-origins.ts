import type { GatewayConfig } from '../../config.js';

export function isTrustedOrigin(
  { trustedOrigins }: Pick<GatewayConfig, 'trustedOrigins'>,
  headers: readonly string[],
): boolean {
  return headers.length === 1 && trustedOrigins.includes(headers[0]!.toLowerCase());
}

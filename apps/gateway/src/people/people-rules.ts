import type { GatewayConfig } from '../config.js';

/** Separate from the library, because loading it is slow. */
export const authPath = '/api/auth';
/** Set by the gateway; the header of a client is never used. */
export const addressHeader = 'x-posthorn-address';
export const shortestPassword = 10;
export const maxPassword = 128;

/** Names are shown to other people, so they must be one line without control or direction characters. */
export const isOneLine = (name: string): boolean => /^[^\p{Cc}\p{Bidi_C}\u2028\u2029]{1,100}$/u.test(name);

export function isTrustedOrigin(
  { trustedOrigins }: Pick<GatewayConfig, 'trustedOrigins'>,
  headers: readonly string[],
): boolean {
  return headers.length === 1 && trustedOrigins.includes(headers[0]!.toLowerCase());
}

// Browsers read a backslash as a slash and skip control characters.
const misread = /[\\\u0000-\u001f\u007f]/;

/** Whether it is a path of this installation and never another host, however written. */
export function isOwnPath(value: string): boolean {
  const base = 'http://own.invalid';
  return (
    value.startsWith('/') &&
    !misread.test(value) &&
    URL.canParse(value, base) &&
    new URL(value, base).origin === base
  );
}

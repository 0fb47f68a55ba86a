import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Those that frame the message or the connection belong to the client, and the signature to the sender. */
const reserved: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
]);
const signaturePrefix = 'webhook-';

export type HeaderFault = 'name' | 'value' | 'reserved';

/** What is wrong with a header of somebody else's choice; null where it may be sent (RFC 9110 §5). */
export function headerFault(name: string, value: string): HeaderFault | null {
  if (!isValid(() => validateHeaderName(name))) return 'name';
  const lower = name.toLowerCase();
  if (reserved.has(lower) || lower.startsWith(signaturePrefix)) return 'reserved';
  return isValid(() => validateHeaderValue(name, value)) ? null : 'value';
}

function isValid(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

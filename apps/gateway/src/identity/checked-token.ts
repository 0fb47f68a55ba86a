import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 36 base62 characters hold 214 random bits; docs/api-decisions.md §2 requires 192.
const secretLength = 36;
// 62^6 > 2^32: the checksum detects a typo without a database query.
const checksumLength = 6;

export const tokenBody = `[0-9A-Za-z]{${secretLength + checksumLength}}`;

/** The prefix names the kind of secret, the checksum at the end shows whether it is complete. */
export function mintChecked(prefix: string): string {
  const body = prefix + randomText(secretLength);
  return body + checksumOf(body);
}

export const hasValidChecksum = (token: string): boolean =>
  checksumOf(token.slice(0, -checksumLength)) === token.slice(-checksumLength);

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    // Bytes beyond the last multiple of 62 would make some characters more likely.
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
  }
  return text;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  for (let index = 0; index < checksumLength; index += 1) {
    checksum = alphabet[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}

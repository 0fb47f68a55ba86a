import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 36 characters of base62 are 214 random bits; docs/api-decisions.md §2 wants 192.
const secretLength = 36;
// 62^6 > 2^32: the checksum refuses a typo without a database read.
const checksumLength = 6;

/** What follows the prefix of a token. */
export const tokenBody = `[0-9A-Za-z]{${secretLength + checksumLength}}`;

/** A secret that says by its prefix what it is, and by its end whether it was copied whole. */
export function mintChecked(prefix: string): string {
  const body = prefix + randomText(secretLength);
  return body + checksumOf(body);
}

export const isWhole = (token: string): boolean =>
  checksumOf(token.slice(0, -checksumLength)) === token.slice(-checksumLength);

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    // Bytes beyond the last multiple of 62 would favour some letters.
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

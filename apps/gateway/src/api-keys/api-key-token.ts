import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { GrantPreset } from '@posthorn/contracts';

export type KeyMode = 'LIVE' | 'TEST';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 36 characters of base62 are 214 random bits; contract.md §2 wants 192.
const secretLength = 36;
// 62^6 > 2^32: the checksum refuses a typo without a database read.
const checksumLength = 6;
const kinds: Record<GrantPreset, string> = { FULL: 'sk', SENDING_ONLY: 'pk' };
const pattern = new RegExp(`^[sp]k_(?:live|test)_[0-9A-Za-z]{${secretLength + checksumLength}}$`);

export function mintToken(preset: GrantPreset, mode: KeyMode): string {
  const body = `${kinds[preset]}_${mode.toLowerCase()}_${randomText(secretLength)}`;
  return body + checksumOf(body);
}

/** Whether this may be a token at all. */
export function isWellFormedToken(token: string): boolean {
  return pattern.test(token) && checksumOf(token.slice(0, -checksumLength)) === token.slice(-checksumLength);
}

export const lastFourOf = (token: string): string => token.slice(-4);

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    // Bytes beyond the last multiple of 62 would favour some letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += alphabet[byte % 62];
  }
  return text;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  for (let place = 0; place < checksumLength; place += 1) {
    checksum = alphabet[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}

import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';

interface SignedBytesOptions {
  label: string;
  macBytes: number;
  longest: number;
}

/** Tokens that carry data and cannot be forged. The first key of the ring signs, every key verifies. */
export class SignedBytes {
  /** As key objects: a key of plain bytes would take five times the time for each token. */
  private readonly keys: readonly KeyObject[];
  private readonly maxToken: number;

  constructor(
    secretKeys: readonly string[],
    private readonly options: SignedBytesOptions,
  ) {
    const { label, macBytes, longest } = options;
    this.keys = secretKeys.map((secretKey) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', label, 32))),
    );
    this.maxToken = Math.ceil(((longest + macBytes) * 4) / 3);
  }

  write(text: Buffer): string {
    return this.signed(text, this.keys[0]!);
  }

  tokensOfEachKey(text: Buffer): string[] {
    return this.keys.map((key) => this.signed(text, key));
  }

  read(token: string): Buffer | null {
    if (token.length > this.maxToken) return null;
    const bytes = Buffer.from(token, 'base64url');
    // Several base64 texts decode to the same bytes; only the canonical one is accepted.
    if (bytes.length <= this.options.macBytes || bytes.toString('base64url') !== token) return null;
    const text = bytes.subarray(0, -this.options.macBytes);
    const mac = bytes.subarray(-this.options.macBytes);
    return this.keys.some((key) => timingSafeEqual(this.macOf(text, key), mac)) ? text : null;
  }

  private signed(text: Buffer, key: KeyObject): string {
    return Buffer.concat([text, this.macOf(text, key)]).toString('base64url');
  }

  private macOf(text: Buffer, key: KeyObject): Buffer {
    return createHmac('sha256', key).update(text).digest().subarray(0, this.options.macBytes);
  }
}

export const uuidBytes = 16;

export function bytesOf(uuid: string): Buffer {
  const hex = uuid.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('a token carries uuids');
  return Buffer.from(hex, 'hex');
}

export const uuidAt = (bytes: Buffer, start: number): string =>
  bytes
    .toString('hex', start, start + uuidBytes)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

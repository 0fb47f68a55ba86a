import { randomBytes } from 'node:crypto';
import { bytesOf, SignedBytes, uuidBytes } from '@posthorn/mail';

const secretBytes = 32;

/** 256 random bits, signed together with the key's id, which distinguishes an expired link from a forged one. */
export class RevealTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:reveal',
      macBytes: 16,
      longest: secretBytes + 2 * uuidBytes,
    });
  }

  mint(projectId: string, keyId: string): string {
    return this.bytes.write(Buffer.concat([randomBytes(secretBytes), bytesOf(projectId), bytesOf(keyId)]));
  }

  isOf(projectId: string, keyId: string, token: string): boolean {
    const text = this.bytes.read(token);
    return (
      text !== null && text.subarray(secretBytes).equals(Buffer.concat([bytesOf(projectId), bytesOf(keyId)]))
    );
  }
}

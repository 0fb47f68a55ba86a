import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under a key of its own; what is sealed for one row opens for no other. */
export class Sealing {
  private readonly key: Buffer;

  constructor(secretKey: string, purpose: string) {
    this.key = Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));
  }

  seal(rowId: string, text: string): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(rowId));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  open(rowId: string, bytes: Buffer): string {
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(rowId));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
  }
}

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

const version = 'e1';
const ivBytes = 12;
const tagBytes = 16;

/** A sealed value can be opened only for the row it was sealed for. */
export interface SecretLocation {
  table: string;
  projectId: string | null;
  id: string;
}

export class UnreadableSecret extends Error {
  constructor({ table, id }: SecretLocation) {
    super(`the secret of ${table} ${id} cannot be opened`);
    this.name = 'UnreadableSecret';
  }
}

/** AES-256-GCM with the key's id. The first key seals, every key opens: keys can be rotated at runtime. */
export class Secrets {
  private readonly current: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor(secretKeys: readonly string[]) {
    const keys = secretKeys.map(sealingKey);
    this.keys = new Map(keys.map((key) => [idOf(key), key]));
    this.current = idOf(keys[0]!);
  }

  /** Prefix of every value sealed with the current key. */
  get prefix(): string {
    return `${version}.${this.current}.`;
  }

  seal(text: string, location: SecretLocation): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.keys.get(this.current)!, iv, {
      authTagLength: tagBytes,
    });
    cipher.setAAD(bytesOf(location));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return this.prefix + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  open(envelope: string, location: SecretLocation): string {
    const [form, keyId = '', text = ''] = envelope.split('.');
    const key = this.keys.get(keyId);
    const bytes = Buffer.from(text, 'base64url');
    if (form !== version || !key || bytes.length < ivBytes + tagBytes) throw new UnreadableSecret(location);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(bytesOf(location));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const opened = decipher.update(bytes.subarray(ivBytes + tagBytes));
    try {
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch {
      // Node reports an unsupported state when the authentication tag does not match.
      throw new UnreadableSecret(location);
    }
  }
}

const sealingKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'posthorn:secrets', 32));
const idOf = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8);
const bytesOf = ({ table, projectId, id }: SecretLocation): Buffer =>
  Buffer.from(JSON.stringify([table, projectId, id]));

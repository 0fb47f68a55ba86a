import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../config.js';

/** What is kept of an address that is erased: nobody without the installation's key can tell whose it was, also not by trying. */
@Injectable()
export class AddressHashes {
  private readonly keys: readonly KeyObject[];

  constructor({ secretKeys }: ContactsConfig) {
    this.keys = secretKeys.map((secretKey) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'posthorn:erased-address', 32))),
    );
  }

  /** By every key of the ring, in hexadecimal digits; the first one is the present. */
  of(projectId: string, email: string): string[] {
    return this.keys.map((key) => createHmac('sha256', key).update(`${projectId} ${email}`).digest('hex'));
  }
}

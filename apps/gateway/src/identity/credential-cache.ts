import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { ownDatabaseMs, within } from '../edge/deadline.js';
import { credentialOf, type Credential, type CredentialRow } from './credential.js';
import { CredentialsReadModel } from './credentials.read-model.js';

/** Revoking a key takes effect on every gateway within a second (contract.md §2): counted from before the question. */
const maxAgeMs = 950;
const maxKnown = 10_000;
// Guessed tokens must not push real ones out.
const maxUnknown = 2_000;

interface Entry {
  credential: Credential | null;
  askedAt: number;
}

/** What tokens stand for, remembered for less than a second; concurrent questions for one token are one question. */
@Injectable()
export class CredentialCache {
  private readonly known = new Map<string, Entry>();
  private readonly unknown = new Map<string, Entry>();
  private readonly asking = new Map<string, Promise<Credential | null>>();
  private readonly gatherer: Gatherer<string, CredentialRow | null>;

  constructor(credentials: CredentialsReadModel) {
    this.gatherer = new Gatherer({ flush: (hashes) => within(ownDatabaseMs, credentials.byHashes(hashes)), maxItems: 256 });
  }

  resolve(hash: string): Credential | null | Promise<Credential | null> {
    const entry = this.known.get(hash) ?? this.unknown.get(hash);
    if (entry && performance.now() - entry.askedAt < maxAgeMs) return entry.credential;
    const asking = this.asking.get(hash) ?? this.ask(hash);
    this.asking.set(hash, asking);
    return asking;
  }

  private async ask(hash: string): Promise<Credential | null> {
    const askedAt = performance.now();
    try {
      const row = await this.gatherer.submit(hash);
      const credential = row && credentialOf(row);
      this.remember(hash, { credential, askedAt });
      return credential;
    } finally {
      this.asking.delete(hash);
    }
  }

  /** A map keeps the order of insertion: the first entry is the one that was asked for longest ago. */
  private remember(hash: string, entry: Entry): void {
    this.known.delete(hash);
    this.unknown.delete(hash);
    const [map, most] = entry.credential ? [this.known, maxKnown] : [this.unknown, maxUnknown];
    map.set(hash, entry);
    if (map.size > most) map.delete(map.keys().next().value!);
  }
}

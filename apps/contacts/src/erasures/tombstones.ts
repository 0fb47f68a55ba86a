import { Injectable } from '@nestjs/common';
import { isErasedAddress } from '@posthorn/contracts';
import { AddressHasher } from '@posthorn/platform';
import { TombstonesRepository } from './tombstones.repository.js';

export interface Report {
  email: string;
  at: Date;
}

/** Remembers who was erased, so that older information that arrives late does not create the person again (docs/api-decisions.md §5). */
@Injectable()
export class Tombstones {
  constructor(
    private readonly rows: TombstonesRepository,
    private readonly hasher: AddressHasher,
  ) {}

  /** In the transaction of the deletion; returns the hash of each address. */
  async set(projectId: string, emails: readonly string[]): Promise<string[]> {
    const hashes = emails.map((email) => this.hasher.hash(projectId, email));
    await this.rows.set(projectId, hashes);
    return hashes;
  }

  async withoutErased<T extends Report>(projectId: string, reports: readonly T[]): Promise<T[]> {
    const ofPeople = reports.filter(({ email }) => !isErasedAddress(email));
    if (ofPeople.length === 0) return [];
    const earliest = new Date(Math.min(...ofPeople.map(({ at }) => at.getTime())));
    // Usually nobody was erased since, and no hash has to be computed.
    if (!(await this.rows.anySince(projectId, earliest))) return ofPeople;
    const hashes = new Map(
      [...new Set(ofPeople.map(({ email }) => email))].map((email) => [
        email,
        this.hasher.hash(projectId, email),
      ]),
    );
    const erased = new Map(
      (await this.rows.of(projectId, [...hashes.values()])).map(({ hash, erasedAt }) => [hash, erasedAt]),
    );
    return ofPeople.filter(
      ({ email, at }) => (erased.get(hashes.get(email)!)?.getTime() ?? -Infinity) < at.getTime(),
    );
  }
}

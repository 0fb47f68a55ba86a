import { Injectable } from '@nestjs/common';
import { isErasedAddress } from '@posthorn/contracts';
import { AddressHashes } from '@posthorn/platform';
import { TombstonesRepository } from './tombstones.repository.js';

/** Something that is told of an address, and when that was. */
export interface Report {
  email: string;
  at: Date;
}

/** What was told of people before they were erased says nothing any more, however late it comes (docs/api-decisions.md §5). */
@Injectable()
export class Tombstones {
  constructor(
    private readonly rows: TombstonesRepository,
    private readonly hashes: AddressHashes,
  ) {}

  /** In the transaction that erases them; answers the hash of each. */
  async set(projectId: string, emails: readonly string[]): Promise<string[]> {
    const hashes = emails.map((email) => this.hashes.of(projectId, email));
    await this.rows.set(projectId, hashes);
    return hashes;
  }

  /** Those that still say something. */
  async standing<T extends Report>(projectId: string, published: readonly T[]): Promise<T[]> {
    const ofPerson = published.filter(({ email }) => !isErasedAddress(email));
    if (ofPerson.length === 0) return [];
    const earliest = new Date(Math.min(...ofPerson.map(({ at }) => at.getTime())));
    // As a rule nobody was erased since: then no hash is made.
    if (!(await this.rows.anySince(projectId, earliest))) return ofPerson;
    const hashes = new Map(
      [...new Set(ofPerson.map(({ email }) => email))].map((email) => [
        email,
        this.hashes.of(projectId, email),
      ]),
    );
    const erased = new Map(
      (await this.rows.of(projectId, [...hashes.values()])).map(({ hash, erasedAt }) => [hash, erasedAt]),
    );
    return ofPerson.filter(
      ({ email, at }) => (erased.get(hashes.get(email)!)?.getTime() ?? -Infinity) < at.getTime(),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { ContactHistoryRepository } from '../activity/contact-history.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentMembersRepository } from '../segments/members/segment-members.repository.js';
import { ErasedRowsRepository } from './erased-rows.repository.js';
import { PendingErasures, type DeletedContact } from './pending-erasures.js';
import { Tombstones } from './tombstones.js';

/** The rest is deleted later (`own-erasure.ts`). */
const maxEvents = 1_000;

@Injectable()
export class ErasedContacts {
  constructor(
    private readonly memberships: MembershipsRepository,
    private readonly segments: SegmentMembersRepository,
    private readonly history: ContactHistoryRepository,
    private readonly rows: ErasedRowsRepository,
    private readonly tombstones: Tombstones,
    private readonly pending: PendingErasures,
  ) {}

  /** After the contacts are deleted: rows of writers that had locked them are visible only to the following statements. */
  async erase(projectId: string, removed: readonly DeletedContact[]): Promise<void> {
    const ids = removed.map(({ contactId }) => contactId);
    await this.memberships.removeOf(projectId, ids);
    await this.segments.removeOf(projectId, ids);
    await this.history.removeOf(projectId, ids);
    await this.rows.remove(projectId, ids, maxEvents);
    const emails = removed.map(({ email }) => email);
    await this.rows.removeEarlyMail(projectId, emails);
    const hashes = await this.tombstones.set(projectId, emails);
    await this.rows.hashConsents(projectId, ids, hashes);
    await this.pending.begin(projectId, removed);
  }
}

import { Injectable } from '@nestjs/common';
import { ContactHistoryRepository } from '../activity/contact-history.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentMembersRepository } from '../segments/segment-members.repository.js';
import { ErasedRowsRepository } from './erased-rows.repository.js';
import { PendingErasures, type DeletedContact } from './pending-erasures.js';
import { Tombstones } from './tombstones.js';

/** More of them go by and by (`own-erasure.ts`). */
const eventsAtOnce = 1_000;

/** What goes with contacts in the commit that deletes them, and what it leaves behind so that they are forgotten everywhere. */
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

  /** After the contacts: whoever wrote of them meanwhile held them, and is seen by the next statements only. */
  async erase(projectId: string, removed: readonly DeletedContact[]): Promise<void> {
    const ids = removed.map(({ contactId }) => contactId);
    await this.memberships.removeOf(projectId, ids);
    await this.segments.removeOf(projectId, ids);
    await this.history.removeOf(projectId, ids);
    await this.rows.remove(projectId, ids, eventsAtOnce);
    const hashes = await this.tombstones.set(
      projectId,
      removed.map(({ email }) => email),
    );
    await this.rows.hashConsents(projectId, ids, hashes);
    await this.pending.begin(projectId, removed);
  }
}

import { Injectable } from '@nestjs/common';
import { contactEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import type { WrittenContact } from '../contacts/writes/contact-write.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import type { ImportRow } from './import.entity.js';

/** Contacts of a table become members of its lists; who is or was a member of one stays what they are. */
@Injectable()
export class ImportedMembers {
  constructor(
    private readonly lists: ListsRepository,
    private readonly contacts: ContactsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Until the end of the transaction none of these lists is deleted, and none of these contacts. A list that is gone already is left out. */
  async hold(
    { projectId, listIds }: ImportRow,
    emails: string[],
  ): Promise<{ held: string[]; gone: string[] }> {
    if (listIds.length === 0) return { held: [], gone: [] };
    const rows = await this.lists.holdAll(projectId, listIds);
    const held = rows.map(({ id }) => id);
    if (held.length > 0) await this.contacts.keep(projectId, emails);
    return { held, gone: listIds.filter((id) => !held.includes(id)) };
  }

  async join(projectId: string, listIds: string[], written: WrittenContact[]): Promise<void> {
    const contactIds = written.flatMap(({ contact, outcome }) =>
      contact && outcome !== 'SKIPPED' ? [contact.id] : [],
    );
    if (listIds.length === 0 || contactIds.length === 0) return;
    const joined = await this.memberships.join(projectId, listIds, contactIds);
    if (joined.length === 0) return;
    await this.dirty.mark(joined.map(({ contactId }) => ({ projectId, contactId })));
    await this.outbox.publish(
      contactEvents.membershipChanged,
      projectId,
      joined.map((row) => ({ ...row, status: 'CONFIRMED' as const })),
    );
  }
}

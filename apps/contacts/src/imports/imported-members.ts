import { Injectable } from '@nestjs/common';
import { contactEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import type { WrittenContact } from '../contacts/writes/contact-write.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import type { ImportRow } from './import.entity.js';

@Injectable()
export class ImportedMembers {
  constructor(
    private readonly lists: ListsRepository,
    private readonly contacts: ContactsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Locks the lists and the contacts against deletion, until the end of the transaction. */
  async lock(
    { projectId, listIds }: ImportRow,
    emails: string[],
  ): Promise<{ locked: string[]; deleted: string[] }> {
    if (listIds.length === 0) return { locked: [], deleted: [] };
    const rows = await this.lists.lockAllShared(projectId, listIds);
    const locked = rows.map(({ id }) => id);
    if (locked.length > 0) await this.contacts.lockAgainstDeletion(projectId, emails);
    return { locked, deleted: listIds.filter((id) => !locked.includes(id)) };
  }

  /** Of `asked`, who unsubscribed here and was not only never asked. First all of them are locked: a statement that waited would not see why. */
  async unsubscribedOf(
    projectId: string,
    { all, asked }: Record<'all' | 'asked', string[]>,
  ): Promise<Set<string>> {
    await this.contacts.lockAll(projectId, all);
    return new Set(await this.contacts.unsubscribedOf(projectId, asked));
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

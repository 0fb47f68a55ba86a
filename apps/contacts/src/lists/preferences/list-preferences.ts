import { Injectable } from '@nestjs/common';
import { mayNotReturn, type ChangePreference } from '@posthorn/contracts';
import type { WriteOrigin } from '../../contacts/writes/contact-write.js';
import { ListsRepository } from '../lists.repository.js';
import { MembershipWrites } from '../membership-writes.js';
import { MembershipsRepository } from '../memberships.repository.js';
import { SubscriberContacts } from '../subscriber-contacts.js';

/** What the page of a mail changes in lists. */
@Injectable()
export class ListPreferences {
  constructor(
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly subscribers: SubscriberContacts,
    private readonly writes: MembershipWrites,
  ) {}

  /** Returns whether there is such a membership. */
  async change(
    projectId: string,
    { email, listId, subscribed }: ChangePreference & { listId: string },
    origin: WriteOrigin,
  ): Promise<boolean> {
    const list = await this.lists.lockShared(projectId, listId);
    const contact = list && (await this.subscribers.lockByEmail(projectId, email));
    const row = contact && (await this.memberships.of(projectId, listId, contact.id));
    if (subscribed && row?.status === 'CONFIRMED') return true;
    if (subscribed && (row?.status !== 'UNSUBSCRIBED' || !(await this.memberships.mayReturn(row))))
      throw mayNotReturn();
    if (!row) return false;
    await this.writes.change({ contact, row, origin }, () =>
      subscribed ? row.confirm() : row.unsubscribe(),
    );
    return true;
  }
}

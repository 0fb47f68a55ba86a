import { Injectable } from '@nestjs/common';
import { contactEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import type { WriteOrigin } from '../contacts/writes/contact-write.js';
import type { ContactRow } from '../contacts/contact.entity.js';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import type { ListRow } from './list.entity.js';
import type { MembershipRow } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { SubscriberContacts } from './subscriber-contacts.js';

interface Asked {
  contact: ContactRow;
  row: MembershipRow;
  list: ListRow;
}

interface LockedMembership {
  contact: ContactRow;
  row: MembershipRow;
  origin: WriteOrigin;
}

@Injectable()
export class MembershipWrites {
  constructor(
    private readonly memberships: MembershipsRepository,
    private readonly contacts: SubscriberContacts,
    private readonly dirty: SegmentDirtyRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Applies `change` to a membership whose contact is locked; writes nothing where the status stays the same. */
  async change(
    { contact, row, origin }: LockedMembership,
    change: () => Promise<void> | void,
  ): Promise<void> {
    const before = row.status;
    await change();
    if (row.status === before) return;
    const subscribes = row.status === 'CONFIRMED' && row.subscribesContact;
    if (row.status !== 'PENDING') row.tokenHash = null;
    if (subscribes) row.subscribesContact = false;
    // Who has never confirmed cannot take a leave back, which would be a confirmation.
    const isOfPage =
      origin.source === 'UNSUBSCRIBE_PAGE' && before === 'CONFIRMED' && row.status === 'UNSUBSCRIBED';
    await this.memberships.put(row, before, isOfPage ? origin.source : null);
    await this.dirty.mark([row]);
    await this.outbox.publish(contactEvents.membershipChanged, row.projectId, [row.toEvent()]);
    if (subscribes) await this.contacts.change(contact, { subscribed: true }, origin);
  }

  /** The answer to a public form must not contain the link, so the server of the project hears of it by a webhook. */
  async ask({ contact, row, list }: Asked): Promise<void> {
    const { projectId, contactId, listId, id: membershipId, updatedAt: at } = row;
    const pending = { contactId, email: contact.email, listId, listName: list.name, membershipId, at };
    await this.outbox.publish(contactEvents.listPending, projectId, [pending]);
  }
}

import { Injectable } from '@nestjs/common';
import { contactEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { contactOf, type ContactWrite, type WriteOrigin } from '../contacts/writes/contact-write.js';
import { ContactWrites } from '../contacts/writes/contact-writes.js';
import type { ContactChange, ContactRow } from '../contacts/contact.entity.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';

/** The contacts of memberships, which are locked until the end of the transaction. */
@Injectable()
export class SubscriberContacts {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly writes: ContactWrites,
    private readonly outbox: Outbox,
  ) {}

  async lockOrCreate(wanted: Omit<ContactWrite, 'only'>): Promise<{ contact: ContactRow; created: boolean }> {
    // Between the lookup and the insert somebody else may create the contact, and delete it again.
    for (;;) {
      const known = await this.contacts.lockByEmail(wanted.projectId, wanted.email);
      if (known) return { contact: known, created: false };
      const [written] = await this.writes.write([{ ...wanted, only: 'NEW' }]);
      if (written!.outcome !== 'SKIPPED') return { contact: contactOf(written!), created: true };
    }
  }

  lockByEmail(projectId: string, email: string): Promise<ContactRow | null> {
    return this.contacts.lockByEmail(projectId, email);
  }

  lock(projectId: string, id: string): Promise<ContactRow | null> {
    return this.contacts.lock(projectId, id);
  }

  async change(
    contact: ContactRow,
    change: Omit<ContactChange, 'customFieldsMode'>,
    origin: WriteOrigin,
  ): Promise<void> {
    const changed = contact.change({ ...change, customFieldsMode: 'MERGE' });
    if (!changed) return;
    await this.contacts.save(contact, origin);
    await this.outbox.publish(contactEvents[changed], contact.projectId, [contact.toEvent()]);
  }
}

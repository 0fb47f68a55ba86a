import { Injectable } from '@nestjs/common';
import { contactFacts } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { ContactChange, ContactRow } from '../contacts/contact.entity.js';
import { ContactsRepository, type NewContact } from '../contacts/contacts.repository.js';
import { withoutNulls } from '../contacts/custom-fields.js';
import { NewContacts } from '../contacts/new-contacts.js';

/** The contacts behind memberships. Each method holds the contact until the end of the transaction. */
@Injectable()
export class SubscriberContacts {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly newContacts: NewContacts,
    private readonly outbox: Outbox,
  ) {}

  async holdOrMake(wanted: Omit<NewContact, 'id'>): Promise<{ contact: ContactRow; made: boolean }> {
    const draft = { ...wanted, id: newId(), customFields: withoutNulls(wanted.customFields) };
    // Between the look and the insert somebody else may make the contact, and then delete it: the next look knows.
    for (;;) {
      const known = await this.contacts.lockByEmail(wanted.projectId, wanted.email);
      if (known) return { contact: known, made: false };
      const [made] = await this.newContacts.make([draft]);
      if (made) return { contact: made, made: true };
    }
  }

  holdByEmail(projectId: string, email: string): Promise<ContactRow | null> {
    return this.contacts.lockByEmail(projectId, email);
  }

  hold(projectId: string, id: string): Promise<ContactRow | null> {
    return this.contacts.lock(projectId, id);
  }

  /** Of a contact that is held. */
  async change(contact: ContactRow, change: Omit<ContactChange, 'customFieldsMode'>): Promise<void> {
    const changed = contact.change({ ...change, customFieldsMode: 'MERGE' });
    if (!changed) return;
    await this.contacts.save(contact);
    await this.outbox.publish(contactFacts[changed], contact.projectId, [contact.toFact()]);
  }
}

import { Controller } from '@nestjs/common';
import { emailFacts, type EmailAccepted } from '@posthorn/contracts';
import { Hears, type Fact } from '@posthorn/messaging';
import { recipientContact } from './ensure-contacts.js';
import { NewContacts } from './new-contacts.js';

@Controller()
export class ContactsSubscribers {
  constructor(private readonly newContacts: NewContacts) {}

  /** Every recipient of a send is a contact. One that the send names was ensured before it, and may be deleted since. */
  @Hears(emailFacts.accepted, 'recipients')
  async onAccepted({ projectId, items }: Fact<EmailAccepted>): Promise<void> {
    const strangers = items.filter(({ contactId }) => contactId === null);
    if (strangers.length > 0) await this.newContacts.make(strangers.map(({ to }) => recipientContact({ projectId, email: to })));
  }
}

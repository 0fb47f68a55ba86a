import { Controller } from '@nestjs/common';
import { emailFacts, type EmailAccepted } from '@posthorn/contracts';
import { Hears, type Fact } from '@posthorn/messaging';
import { ToldContacts } from '../erasures/told-contacts.js';
import { recipientContact } from './ensure-contacts.js';

@Controller()
export class ContactsSubscribers {
  constructor(private readonly told: ToldContacts) {}

  /** Every recipient of a send is a contact. One that the send names was ensured before it, and may be deleted since. */
  @Hears(emailFacts.accepted, 'recipients')
  async onAccepted({ projectId, items }: Fact<EmailAccepted>): Promise<void> {
    const strangers = items.filter(({ contactId }) => contactId === null);
    if (strangers.length > 0)
      await this.told.write(
        strangers.map(({ to }) => recipientContact({ projectId, email: to })),
        strangers.map(({ at }) => at),
        { looksFirst: true },
      );
  }
}

import { Injectable } from '@nestjs/common';
import { emailEvents, type EmailAccepted } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { ReportedContacts } from '../erasures/reported-contacts.js';
import { recipientContact } from './writes/ensure-contacts.js';

@Injectable()
export class ContactsSubscribers {
  constructor(private readonly reported: ReportedContacts) {}

  /** A recipient with a contact id was ensured before the send, and must not be created again if it was deleted since. */
  @OnEvent(emailEvents.accepted, 'recipients')
  async onAccepted({ projectId, items }: DomainEvent<EmailAccepted>): Promise<void> {
    const unknown = items.filter(({ contactId }) => contactId === null);
    if (unknown.length > 0)
      await this.reported.write(
        unknown.map(({ to }) => recipientContact({ projectId, email: to })),
        unknown.map(({ at }) => at),
        { checksFirst: true },
      );
  }
}

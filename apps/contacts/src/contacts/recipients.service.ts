import { Injectable } from '@nestjs/common';
import {
  contacts,
  emailEvents,
  type EmailAccepted,
  type RecipientContacts,
  type SendRecipients,
} from '@posthorn/contracts';
import { Handles, OnEvent, type DomainEvent, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ReportedContacts } from '../erasures/reported-contacts.js';
import { ContactsRepository } from './contacts.repository.js';
import { recipientContact } from './writes/ensure-contacts.js';

/** The contacts of mail that is about to be sent; its acceptance asks for none. */
@Injectable()
export class RecipientsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly reported: ReportedContacts,
    private readonly commits: Commits,
  ) {}

  @Handles(contacts.ensureRecipients)
  async contactsOf({ caller, body, deadline }: Incoming<SendRecipients>): Promise<RecipientContacts> {
    const { projectId } = caller;
    const first = new Map(body.recipients.map((recipient) => [recipient.email, recipient]));
    const known = await this.contacts.idsOf([...first.keys()].map((email) => ({ projectId, email })));
    for (const { email } of known) first.delete(email);
    const missing = [...first.values()];
    // A person who is erased meanwhile must not stay: the write takes itself back with its transaction.
    const written =
      missing.length === 0
        ? []
        : await this.commits.before(deadline, () =>
            this.reported.write(
              missing.map(({ email }) => recipientContact({ projectId, email })),
              missing.map(({ acceptedAt }) => acceptedAt),
              { checksFirst: true },
            ),
          );
    const created = written.flatMap(({ contact }) => contact ?? []);
    return { contacts: [...known, ...created].map(({ id, email }) => ({ id, email })) };
  }

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

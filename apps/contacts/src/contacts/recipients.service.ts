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
import { ErasedMeanwhile, ReportedContacts, type ReportOptions } from '../erasures/reported-contacts.js';
import { ContactsRepository, type KnownContact } from './contacts.repository.js';
import type { WrittenContact } from './writes/contact-write.js';
import { recipientContact } from './writes/ensure-contacts.js';

type SendRecipient = SendRecipients['recipients'][number];

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
    const { known, missing } = await this.lookUp(projectId, body.recipients);
    const create = (options: ReportOptions) =>
      this.commits.before(deadline, () => this.create(projectId, missing, options));
    // Usually nobody was erased: then one look after the write is enough, whose transaction takes it back otherwise.
    const written =
      missing.length === 0
        ? []
        : await create({ looksAfterwards: true }).catch((error: unknown) => {
            if (error instanceof ErasedMeanwhile) return create({});
            throw error;
          });
    const created = written.flatMap(({ contact }) => contact ?? []);
    return { contacts: [...known, ...created].map(({ id, email }) => ({ id, email })) };
  }

  /** A recipient with a contact id was ensured before the send, and must not be created again if it was deleted since. */
  @OnEvent(emailEvents.accepted, 'recipients')
  async onAccepted({ projectId, items }: DomainEvent<EmailAccepted>): Promise<void> {
    const unknown = items.filter(({ contactId }) => contactId === null);
    const recipients = unknown.map(({ to, at }) => ({ email: to, acceptedAt: at }));
    const { missing } = await this.lookUp(projectId, recipients);
    await this.create(projectId, missing);
  }

  private async lookUp(
    projectId: string,
    recipients: readonly SendRecipient[],
  ): Promise<{ known: KnownContact[]; missing: SendRecipient[] }> {
    if (recipients.length === 0) return { known: [], missing: [] };
    // Mail that was accepted after an erasure creates the contact, whatever came before.
    const newest = new Map<string, SendRecipient>();
    for (const recipient of recipients) {
      const other = newest.get(recipient.email);
      if (!other || other.acceptedAt < recipient.acceptedAt) newest.set(recipient.email, recipient);
    }
    const known = await this.contacts.idsOf([...newest.keys()].map((email) => ({ projectId, email })));
    for (const { email } of known) newest.delete(email);
    return { known, missing: [...newest.values()] };
  }

  private create(
    projectId: string,
    recipients: SendRecipient[],
    options?: ReportOptions,
  ): Promise<WrittenContact[]> {
    return this.reported.write(
      recipients.map(({ email }) => recipientContact({ projectId, email })),
      recipients.map(({ acceptedAt }) => acceptedAt),
      options,
    );
  }
}

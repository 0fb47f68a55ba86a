import { Injectable } from '@nestjs/common';
import type { RecipientContacts, SendRecipients } from '@posthorn/contracts';
import { ReportedContacts } from '../erasures/reported-contacts.js';
import { ContactsRepository } from './contacts.repository.js';
import { recipientContact } from './writes/ensure-contacts.js';

/** The contacts of mail that is about to be sent; its acceptance asks for none. */
@Injectable()
export class RecipientsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly reported: ReportedContacts,
  ) {}

  async contactsOf(projectId: string, { recipients }: SendRecipients): Promise<RecipientContacts> {
    const first = new Map(recipients.map((recipient) => [recipient.email, recipient]));
    const known = await this.contacts.idsOf([...first.keys()].map((email) => ({ projectId, email })));
    for (const { email } of known) first.delete(email);
    const missing = [...first.values()];
    const written = await this.reported.write(
      missing.map(({ email }) => recipientContact({ projectId, email })),
      missing.map(({ acceptedAt }) => acceptedAt),
      { checksFirst: true },
    );
    const created = written.flatMap(({ contact }) => contact ?? []);
    return { contacts: [...known, ...created].map(({ id, email }) => ({ id, email })) };
  }
}

import { Injectable } from '@nestjs/common';
import { contactFacts } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { ContactRow } from './contact.entity.js';
import { ContactsRepository, type NewContact } from './contacts.repository.js';

/** Where contacts come to be, whoever asks for them. */
@Injectable()
export class NewContacts {
  constructor(
    private readonly database: Database,
    private readonly contacts: ContactsRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Makes those that do not exist yet, and tells of each; answers them. */
  make(contacts: NewContact[]): Promise<ContactRow[]> {
    return this.database.transaction(async () => {
      const made = await this.contacts.insertMissing(contacts);
      for (const [projectId, rows] of Map.groupBy(made, (row) => row.projectId)) {
        const facts = rows.map((row) => row.toFact());
        await this.outbox.publish(contactFacts.created, projectId, facts);
      }
      return made;
    });
  }
}

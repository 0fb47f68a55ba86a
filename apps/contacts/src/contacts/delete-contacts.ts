import { Injectable } from '@nestjs/common';
import { contactFacts, contactNotFound, type ContactId, type DeletedContact } from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { ContactsRepository } from './contacts.repository.js';

@Injectable()
export class DeleteContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  async delete({ caller, body, deadline }: Incoming<ContactId>): Promise<DeletedContact> {
    await this.commits.before(deadline, async () => {
      const at = await this.contacts.remove(caller.projectId, body.id);
      if (!at) throw contactNotFound();
      // After the contact: whoever subscribed it meanwhile held it, and is seen by the next statement only.
      await this.memberships.removeOf(caller.projectId, [body.id]);
      await this.outbox.publish(contactFacts.deleted, caller.projectId, [{ contactId: body.id, at }]);
    });
    return { id: body.id };
  }
}

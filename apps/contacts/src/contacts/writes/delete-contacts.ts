import { Injectable } from '@nestjs/common';
import {
  contactEvents,
  contactNotFound,
  contactsUnnamed,
  contacts,
  type ContactId,
  type DeleteContacts,
  type DeletedContact,
  type DeletedContacts,
} from '@posthorn/contracts';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ErasedContacts } from '../../erasures/erased-contacts.js';
import { ContactsRepository } from '../contacts.repository.js';

/** Deleting a contact also erases the person in all services, which goes on after the answer. */
@Injectable()
export class DeleteContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly erased: ErasedContacts,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  @Handles(contacts.delete)
  async delete({ caller, body, deadline }: Incoming<ContactId>): Promise<DeletedContact> {
    await this.commits.before(deadline, async () => {
      if ((await this.remove(caller.projectId, { ids: [body.id] })) === 0) throw contactNotFound();
    });
    return { id: body.id };
  }

  @Handles(contacts.deleteMany)
  async deleteMany({ caller, body, deadline }: Incoming<DeleteContacts>): Promise<DeletedContacts> {
    if ((body.ids === undefined) === (body.emails === undefined)) throw contactsUnnamed();
    return { deleted: await this.commits.before(deadline, () => this.remove(caller.projectId, body)) };
  }

  private async remove(projectId: string, selected: DeleteContacts): Promise<number> {
    const removed = await this.contacts.removeMany(projectId, selected);
    if (removed.length === 0) return 0;
    await this.erased.erase(projectId, removed);
    const events = removed.map(({ contactId, at }) => ({ contactId, at }));
    await this.outbox.publish(contactEvents.deleted, projectId, events);
    return removed.length;
  }
}

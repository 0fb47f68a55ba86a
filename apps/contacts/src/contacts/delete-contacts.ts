import { Injectable } from '@nestjs/common';
import {
  contactFacts,
  contactNotFound,
  contactsUnnamed,
  type ContactId,
  type DeleteContacts,
  type DeletedContact,
  type DeletedContacts,
} from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ContactHistoryRepository } from '../activity/contact-history.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentMembersRepository } from '../segments/segment-members.repository.js';
import { ContactsRepository } from './contacts.repository.js';

@Injectable()
export class DeleteContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly segments: SegmentMembersRepository,
    private readonly history: ContactHistoryRepository,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  async delete({ caller, body, deadline }: Incoming<ContactId>): Promise<DeletedContact> {
    await this.commits.before(deadline, async () => {
      if ((await this.remove(caller.projectId, { ids: [body.id] })) === 0) throw contactNotFound();
    });
    return { id: body.id };
  }

  async deleteMany({ caller, body, deadline }: Incoming<DeleteContacts>): Promise<DeletedContacts> {
    if ((body.ids === undefined) === (body.emails === undefined)) throw contactsUnnamed();
    return { deleted: await this.commits.before(deadline, () => this.remove(caller.projectId, body)) };
  }

  private async remove(projectId: string, whom: DeleteContacts): Promise<number> {
    const gone = await this.contacts.removeMany(projectId, whom);
    const ids = gone.map(({ contactId }) => contactId);
    if (ids.length === 0) return 0;
    // After the contacts: whoever wrote of them meanwhile held them, and is seen by the next statements only.
    await this.memberships.removeOf(projectId, ids);
    await this.segments.removeOf(projectId, ids);
    await this.history.removeOf(projectId, ids);
    await this.outbox.publish(contactFacts.deleted, projectId, gone);
    return ids.length;
  }
}

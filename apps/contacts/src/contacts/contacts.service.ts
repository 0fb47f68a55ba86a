import { Injectable } from '@nestjs/common';
import {
  contactExists,
  contactFacts,
  contactNotFound,
  type Contact,
  type ContactFilter,
  type ContactId,
  type ContactPage,
  type CreateContact,
  type DeletedContact,
  type KnownVariables,
  type ListContacts,
  type UnsubscribeContact,
  type UpdateContactById,
} from '@posthorn/contracts';
import { cappedTotal, newId } from '@posthorn/database';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ContactCounts } from './contact-counts.read-model.js';
import type { ContactChange, ContactRow } from './contact.entity.js';
import { ContactsRepository, type NewContact } from './contacts.repository.js';
import { withoutNulls } from './custom-fields.js';
import { NewContacts } from './new-contacts.js';
import { OptOuts } from './opt-outs.js';

@Injectable()
export class ContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly newContacts: NewContacts,
    private readonly counts: ContactCounts,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
    private readonly optOuts: OptOuts,
  ) {}

  async create(call: Incoming<CreateContact>): Promise<Contact> {
    const row = await this.commits.before(call.deadline, async () => {
      const made = await this.make(draftOf(call));
      if (!made) throw contactExists();
      return made;
    });
    return row.toContact();
  }

  async upsert(call: Incoming<CreateContact>): Promise<Contact> {
    const row = await this.commits.before(call.deadline, async () => {
      let found: ContactRow | undefined;
      // Between the look and the insert somebody else may make the contact: then the next look finds it.
      do found = await this.changeOrMake(call);
      while (!found);
      return found;
    });
    return row.toContact();
  }

  async get(projectId: string, id: string): Promise<Contact> {
    const row = await this.contacts.find(projectId, id);
    if (!row) throw contactNotFound();
    return row.toContact();
  }

  async variables(projectId: string, emails: string[]): Promise<KnownVariables> {
    return { contacts: await this.contacts.variablesOf(projectId, emails) };
  }

  async list(projectId: string, query: ListContacts): Promise<ContactPage> {
    const [page, total] = await Promise.all([this.contacts.list(projectId, query), query.withTotal ? this.totalOf(projectId, query) : {}]);
    return { ...page, items: page.items.map((row) => row.toContact()), ...total };
  }

  async update({ caller, body, deadline }: Incoming<UpdateContactById>): Promise<Contact> {
    const row = await this.commits.before(deadline, async () => {
      const found = await this.contacts.lock(caller.projectId, body.id);
      if (!found) throw contactNotFound();
      return this.change(found, body);
    });
    return row.toContact();
  }

  /** Of a stranger only the opt-out is kept. */
  async unsubscribe({ caller, body, deadline }: Incoming<UnsubscribeContact>): Promise<UnsubscribeContact> {
    const { projectId } = caller;
    await this.commits.before(deadline, async () => {
      const known = await this.contacts.lockByEmail(projectId, body.email);
      if (known) await this.change(known, { subscribed: false, customFieldsMode: 'MERGE' });
      else await this.optOuts.put(projectId, { email: body.email });
    });
    return { email: body.email };
  }

  async delete({ caller, body, deadline }: Incoming<ContactId>): Promise<DeletedContact> {
    await this.commits.before(deadline, async () => {
      const at = await this.contacts.remove(caller.projectId, body.id);
      if (!at) throw contactNotFound();
      await this.outbox.publish(contactFacts.deleted, caller.projectId, [{ contactId: body.id, at }]);
    });
    return { id: body.id };
  }

  private async changeOrMake(call: Incoming<CreateContact>): Promise<ContactRow | undefined> {
    const { email, subscribed, customFields } = call.body;
    const known = await this.contacts.lockByEmail(call.caller.projectId, email);
    if (known) return this.change(known, { subscribed, customFields, customFieldsMode: 'MERGE' });
    return this.make(draftOf(call));
  }

  /** Undefined where there is one of this address. */
  private async make(draft: NewContact): Promise<ContactRow | undefined> {
    const [made] = await this.newContacts.make([draft]);
    if (made && !made.subscribed) await this.optOuts.put(draft.projectId, { email: draft.email, contactId: draft.id, seq: 1 });
    return made;
  }

  /** A change that changes nothing is none: no write, no fact. The opt-out is put while the row is held, so that its order is the contact's. */
  private async change(row: ContactRow, change: ContactChange): Promise<ContactRow> {
    const changed = row.change(change);
    const seq = Number(row.seq) + (changed ? 1 : 0);
    if (change.subscribed === false) await this.optOuts.put(row.projectId, { email: row.email, contactId: row.id, seq });
    if (changed) {
      await this.contacts.save(row);
      await this.outbox.publish(contactFacts[changed], row.projectId, [row.toFact()]);
    }
    return row;
  }

  /** Maintained counters for what they cover, else counted up to the cap (contract.md §1). */
  private async totalOf(
    projectId: string,
    { search, subscribed, segmentId }: ContactFilter,
  ): Promise<Pick<ContactPage, 'total' | 'totalIsCapped'>> {
    if (search !== undefined || segmentId !== undefined) {
      return cappedTotal(await this.contacts.countMatches(projectId, { search, subscribed, segmentId }));
    }
    const count = await this.counts.of(projectId);
    const wanted = subscribed ? count.subscribed : count.total - count.subscribed;
    return { total: subscribed === undefined ? count.total : wanted };
  }
}

function draftOf({ caller, body }: Incoming<CreateContact>): NewContact {
  const { email, subscribed = true, customFields = {} } = body;
  return { projectId: caller.projectId, id: newId(), email, subscribed, customFields: withoutNulls(customFields) };
}

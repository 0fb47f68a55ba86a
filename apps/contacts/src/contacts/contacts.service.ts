import { Injectable } from '@nestjs/common';
import {
  contactExists,
  contactEvents,
  contacts,
  type Contact,
  type ContactFilter,
  type ContactPage,
  type CreateContact,
  type ExportContacts,
  type ExportedContacts,
  type KnownVariables,
  type ListContacts,
  type SubscribedAddresses,
  type UnsubscribeContact,
  type UpdateContactById,
  type GetVariables,
  type FindSubscribed,
  type ContactId,
} from '@posthorn/contracts';
import { pageWithTotal, type Total } from '@posthorn/database';
import { Outbox, Handles, answerEach, type Incoming } from '@posthorn/messaging';
import { ContactCounts } from './contact-counts.read-model.js';
import { requestedBy, contactOf, originOf, type WriteOrigin } from './writes/contact-write.js';
import type { ContactChange, ContactRow } from './contact.entity.js';
import { ContactsRepository } from './contacts.repository.js';
import { GatheredWrites } from './writes/gathered-writes.js';
import { LimitedChanges } from './writes/limited-changes.js';
import { OptOuts } from './opt-outs.js';

const exportedAtOnce = 1_000;

@Injectable()
export class ContactsService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly writes: GatheredWrites,
    private readonly counts: ContactCounts,
    private readonly outbox: Outbox,
    private readonly changes: LimitedChanges,
    private readonly optOuts: OptOuts,
  ) {}

  @Handles(contacts.create)
  create(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.createOne(call));
  }

  private async createOne({ caller, body, deadline }: Incoming<CreateContact>): Promise<Contact> {
    const written = await this.writes.submit({
      ...body,
      projectId: caller.projectId,
      only: 'NEW',
      deadline,
      origin: requestedBy(caller),
    });
    if (written.outcome === 'SKIPPED') throw contactExists();
    return contactOf(written).toContact();
  }

  @Handles(contacts.upsert)
  upsert(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.upsertOne(call));
  }

  private async upsertOne({ caller, body, deadline }: Incoming<CreateContact>): Promise<Contact> {
    return contactOf(
      await this.writes.submit({
        ...body,
        projectId: caller.projectId,
        deadline,
        origin: requestedBy(caller),
      }),
    ).toContact();
  }

  @Handles(contacts.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<ContactId>): Promise<Contact> {
    return (await this.contacts.findOrFail(projectId, id)).toContact();
  }

  @Handles(contacts.variables)
  async variables({
    caller: { projectId },
    body: { emails },
  }: Incoming<GetVariables>): Promise<KnownVariables> {
    return { contacts: await this.contacts.variablesOf(projectId, emails) };
  }

  @Handles(contacts.subscribed)
  async subscribed({
    caller: { projectId },
    body: { emails },
  }: Incoming<FindSubscribed>): Promise<SubscribedAddresses> {
    return { emails: await this.contacts.subscribedAmong(projectId, emails) };
  }

  @Handles(contacts.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListContacts>): Promise<ContactPage> {
    const page = await pageWithTotal(query, this.contacts.list(projectId, query), () =>
      this.totalOf(projectId, query),
    );
    return { ...page, items: page.items.map((row) => row.toContact()) };
  }

  @Handles(contacts.export)
  async export({ caller: { projectId }, body: query }: Incoming<ExportContacts>): Promise<ExportedContacts> {
    const page = await this.contacts.list(projectId, { ...query, limit: exportedAtOnce });
    return { ...page, items: page.items.map((row) => row.toContact()) };
  }

  @Handles(contacts.update)
  async update({ caller, body, deadline }: Incoming<UpdateContactById>): Promise<Contact> {
    const { projectId } = caller;
    const { effect } = body;
    const row = await this.changes.run({ projectId, deadline }, async () => {
      const locked = await this.contacts.lockOrFail(projectId, body.id);
      if (effect && !(await this.contacts.isNewEffect(projectId, effect.id))) return locked;
      return this.change(locked, body, requestedBy(caller), effect?.executionId);
    });
    return row.toContact();
  }

  /** Of an address without a contact only the opt-out is stored. */
  @Handles(contacts.unsubscribe)
  async unsubscribe({ caller, body, deadline }: Incoming<UnsubscribeContact>): Promise<UnsubscribeContact> {
    const { projectId } = caller;
    await this.changes.run({ projectId, deadline, linkTarget: body.email }, async () => {
      const known = await this.contacts.lockByEmail(projectId, body.email);
      if (known)
        await this.change(
          known,
          { subscribed: false, customFieldsMode: 'MERGE' },
          originOf(caller, 'UNSUBSCRIBE_PAGE'),
        );
      else await this.optOuts.put(projectId, { email: body.email });
    });
    return { email: body.email };
  }

  /** The opt-out is stored while the row is locked, so that opt-outs have the order of the contact's changes. */
  private async change(
    row: ContactRow,
    change: ContactChange,
    origin: WriteOrigin,
    causedBy?: string,
  ): Promise<ContactRow> {
    const changed = row.change(change);
    const seq = Number(row.seq) + (changed ? 1 : 0);
    if (change.subscribed === false)
      await this.optOuts.put(row.projectId, { email: row.email, contactId: row.id, seq });
    if (changed) {
      await this.contacts.save(row, origin);
      await this.outbox.publish(contactEvents[changed], row.projectId, [
        { ...row.toEvent(), ...(causedBy === undefined ? {} : { causedBy }) },
      ]);
    }
    return row;
  }

  private async totalOf(
    projectId: string,
    { search, email, subscribed, listId, segmentId }: ContactFilter,
  ): Promise<number | Total> {
    if ([search, email, listId, segmentId].some((value) => value !== undefined))
      return this.contacts.countMatches(projectId, { search, email, subscribed, listId, segmentId });
    const count = await this.counts.of(projectId);
    if (subscribed === undefined) return count.total;
    return subscribed ? count.subscribed : count.total - count.subscribed;
  }
}

import { Injectable } from '@nestjs/common';
import {
  confirmLinkOver,
  mayNotSubscribe,
  memberships,
  type ConfirmedTarget,
  type ConfirmTarget,
  type ConfirmUrls,
  type MembershipIds,
  type SubscribeToList,
  type Subscription,
  type Unsubscribed,
  type UnsubscribeFromList,
} from '@posthorn/contracts';
import { newId, DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ConfirmTokens } from '@posthorn/mail';
import { originOf } from '../contacts/writes/contact-write.js';
import { LimitedChanges } from '../contacts/writes/limited-changes.js';
import type { ListRow } from './list.entity.js';
import { ListsRepository } from './lists.repository.js';
import { MembershipWrites } from './membership-writes.js';
import { MembershipRow } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { SubscriberContacts } from './subscriber-contacts.js';
import { ContactsConfig } from '../config.js';

@Injectable()
export class MembershipTokens {
  private readonly tokens: ConfirmTokens;

  constructor(
    private readonly config: ContactsConfig,
    private readonly clock: DatabaseClock,
  ) {
    this.tokens = new ConfirmTokens(config.secretKeys);
  }

  async issue(row: MembershipRow): Promise<string> {
    const known = await this.valid(row);
    if (known) return known;
    row.tokenRound += 1;
    const [token] = this.of(row);
    row.tokenHash = ConfirmTokens.hashOf(token!);
    return token!;
  }

  /** Null where the link has expired, or is no longer needed. */
  async urlOf(row: MembershipRow): Promise<string | null> {
    const token = await this.valid(row);
    return (
      token && `${this.config.publicUrl.replace(/\/+$/, '')}/api/lists/confirm-subscription?token=${token}`
    );
  }

  async isValid(row: MembershipRow, tokenHash: string): Promise<boolean> {
    return row.isConfirmedBy(tokenHash, await this.clock.now());
  }

  private async valid(row: MembershipRow): Promise<string | null> {
    const now = await this.clock.now();
    return this.of(row).find((token) => row.isConfirmedBy(ConfirmTokens.hashOf(token), now)) ?? null;
  }

  private of({ projectId, id, tokenRound }: MembershipRow): string[] {
    return this.tokens.of({ projectId, membershipId: id, round: tokenRound });
  }
}

/** A change locks the list, then the contact, so that changes do not deadlock. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly contacts: SubscriberContacts,
    private readonly tokens: MembershipTokens,
    private readonly writes: MembershipWrites,
    private readonly changes: LimitedChanges,
  ) {}

  @Handles(memberships.subscribe)
  async subscribe(call: Incoming<SubscribeToList>): Promise<Subscription> {
    // Otherwise the key could make anybody a contact first.
    if (call.caller.confine?.onlyContacts) throw mayNotSubscribe();
    const { projectId } = call.caller;
    return this.changes.run({ projectId, deadline: call.deadline }, async () =>
      this.join(await this.lists.lockSharedOrFail(projectId, call.body.id), call),
    );
  }

  @Handles(memberships.unsubscribe)
  unsubscribe({ caller, body, deadline }: Incoming<UnsubscribeFromList>): Promise<Unsubscribed> {
    const { projectId } = caller;
    return this.changes.run({ projectId, deadline }, async () => {
      const list = await this.lists.lockSharedOrFail(projectId, body.id);
      const contact = await this.contacts.lockByEmail(projectId, body.email);
      const row = contact && (await this.memberships.of(projectId, list.id, contact.id));
      if (row)
        await this.writes.change({ contact, row, origin: originOf(caller, 'LIST') }, () => row.unsubscribe());
      return { email: body.email };
    });
  }

  @Handles(memberships.look)
  async look({ caller, body }: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    const row = await this.memberships.find(caller.projectId, body.membershipId);
    const list = row && (await this.lists.find(caller.projectId, row.listId));
    if (!list || !(await this.tokens.isValid(row, body.tokenHash))) throw confirmLinkOver();
    return targetOf(list);
  }

  @Handles(memberships.confirm)
  confirm({ caller, body, deadline }: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    const { projectId } = caller;
    return this.changes.run({ projectId, deadline }, async () => {
      const found = await this.memberships.find(projectId, body.membershipId);
      const list = found && (await this.lists.lockShared(projectId, found.listId));
      const contact = list && (await this.contacts.lock(projectId, found.contactId));
      // Read again under the lock: the link may have been used meanwhile.
      const row = contact && (await this.memberships.find(projectId, found.id));
      if (!row || !(await this.tokens.isValid(row, body.tokenHash))) throw confirmLinkOver();
      await this.writes.change({ contact, row, origin: originOf(caller, 'LIST') }, () => row.confirm());
      return targetOf(list);
    });
  }

  @Handles(memberships.confirmUrls)
  async confirmUrls({ caller: { projectId }, body: { ids } }: Incoming<MembershipIds>): Promise<ConfirmUrls> {
    const rows = await this.memberships.all(projectId, ids);
    const urls = await Promise.all(
      rows.map(async (row) => ({ membershipId: row.id, confirmUrl: await this.tokens.urlOf(row) })),
    );
    return {
      urls: urls.flatMap(({ membershipId, confirmUrl }) => (confirmUrl ? { membershipId, confirmUrl } : [])),
    };
  }

  private async join(list: ListRow, { caller, body }: Incoming<SubscribeToList>): Promise<Subscription> {
    const { projectId } = caller;
    const { email, data = {}, allowResubscribe = false } = body;
    const origin = originOf(caller, 'LIST');
    const wanted = { projectId, email, customFields: data, subscribedWhenNew: !list.doubleOptIn, origin };
    const { contact, created } = await this.contacts.lockOrCreate(wanted);
    const known = created ? null : await this.memberships.of(projectId, list.id, contact.id);
    const row =
      known ?? MembershipRow.for({ projectId, listId: list.id, contactId: contact.id, id: newId() });
    const previousStatus = row.status;
    if (created) row.subscribesContact = list.doubleOptIn;
    let confirmToken: string | undefined;
    await this.writes.change({ contact, row, origin }, async () => {
      row.subscribe({ doubleOptIn: list.doubleOptIn, allowResubscribe });
      if (row.status === 'PENDING') confirmToken = await this.tokens.issue(row);
    });
    const isAsked = previousStatus !== 'PENDING' || (await this.memberships.renew(row));
    if (confirmToken !== undefined && isAsked) await this.writes.ask({ contact, row, list });
    // Anybody may submit a public form for any address, so it must not change an existing contact.
    if (!created && !caller.isPublic) await this.contacts.change(contact, { customFields: data }, origin);
    // Whoever has the token can confirm the address, so the key of a public form does not receive it.
    if (caller.confine?.subscribeOnly) confirmToken = undefined;
    return { membershipId: row.id, status: row.status!, created: !known, previousStatus, confirmToken };
  }
}

const targetOf = ({ name, redirectUrl }: ListRow): ConfirmedTarget => ({ listName: name, redirectUrl });

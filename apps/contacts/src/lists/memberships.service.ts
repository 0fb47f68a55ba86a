import { Injectable } from '@nestjs/common';
import {
  confirmLinkOver,
  listNotFound,
  type ConfirmedTarget,
  type ConfirmTarget,
  type SubscribeToList,
  type Subscription,
  type Unsubscribed,
  type UnsubscribeFromList,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { originOf } from '../contacts/writes/contact-write.js';
import type { ListRow } from './list.entity.js';
import { ListsRepository } from './lists.repository.js';
import { MembershipTokens } from './membership-tokens.js';
import { MembershipWrites } from './membership-writes.js';
import { MembershipRow } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { SubscriberContacts } from './subscriber-contacts.js';

/** Whoever changes a membership holds its list, then its contact: in this order nobody waits for each other. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly contacts: SubscriberContacts,
    private readonly tokens: MembershipTokens,
    private readonly writes: MembershipWrites,
    private readonly commits: Commits,
  ) {}

  subscribe(call: Incoming<SubscribeToList>): Promise<Subscription> {
    return this.commits.before(call.deadline, async () =>
      this.join(await this.held(call.caller.projectId, call.body.id), call),
    );
  }

  unsubscribe({ caller, body, deadline }: Incoming<UnsubscribeFromList>): Promise<Unsubscribed> {
    const { projectId } = caller;
    return this.commits.before(deadline, async () => {
      const list = await this.held(projectId, body.id);
      const contact = await this.contacts.holdByEmail(projectId, body.email);
      const row = contact && (await this.memberships.of(projectId, list.id, contact.id));
      if (row)
        await this.writes.change({ contact, row, origin: originOf(caller, 'LIST') }, () => row.unsubscribe());
      return { email: body.email };
    });
  }

  async look({ caller, body }: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    const row = await this.memberships.find(caller.projectId, body.membershipId);
    const list = row && (await this.lists.find(caller.projectId, row.listId));
    if (!list || !(await this.tokens.fits(row, body.tokenHash))) throw confirmLinkOver();
    return locationOf(list);
  }

  confirm({ caller, body, deadline }: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    const { projectId } = caller;
    return this.commits.before(deadline, async () => {
      const seen = await this.memberships.find(projectId, body.membershipId);
      const list = seen && (await this.lists.hold(projectId, seen.listId));
      const contact = list && (await this.contacts.hold(projectId, seen.contactId));
      // Read once more: whoever held the contact may have confirmed it.
      const row = contact && (await this.memberships.find(projectId, seen.id));
      if (!row || !(await this.tokens.fits(row, body.tokenHash))) throw confirmLinkOver();
      await this.writes.change({ contact, row, origin: originOf(caller, 'LIST') }, () => row.confirm());
      return locationOf(list);
    });
  }

  private async join(list: ListRow, { caller, body }: Incoming<SubscribeToList>): Promise<Subscription> {
    const { projectId } = caller;
    const { email, data = {}, allowResubscribe = false } = body;
    const origin = originOf(caller, 'LIST');
    const wanted = { projectId, email, customFields: data, subscribedWhenNew: !list.doubleOptIn, origin };
    const { contact, made } = await this.contacts.holdOrMake(wanted);
    const known = made ? null : await this.memberships.of(projectId, list.id, contact.id);
    const row =
      known ?? MembershipRow.for({ projectId, listId: list.id, contactId: contact.id, id: newId() });
    const previousStatus = row.status;
    if (made) row.subscribesContact = list.doubleOptIn;
    let confirmToken: string | undefined;
    await this.writes.change({ contact, row, origin }, async () => {
      row.subscribe({ doubleOptIn: list.doubleOptIn, allowResubscribe });
      if (row.status === 'PENDING') confirmToken = await this.tokens.give(row);
    });
    if (previousStatus === 'PENDING') await this.memberships.renew(row);
    // Anybody who opens a page can say anything of anybody: what is known of a contact is not theirs to change.
    if (!made && !caller.isPublic) await this.contacts.change(contact, { customFields: data }, origin);
    return { membershipId: row.id, status: row.status!, created: !known, previousStatus, confirmToken };
  }

  private async held(projectId: string, id: string): Promise<ListRow> {
    const list = await this.lists.hold(projectId, id);
    if (!list) throw listNotFound();
    return list;
  }
}

const locationOf = ({ name, redirectUrl }: ListRow): ConfirmedTarget => ({ listName: name, redirectUrl });

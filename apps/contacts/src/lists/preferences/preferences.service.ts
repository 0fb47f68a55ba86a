import { Injectable } from '@nestjs/common';
import {
  mayNotReturn,
  preferences,
  type ChangedPreference,
  type ChangePreference,
  type Preferences,
  type PreferencesOf,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { originOf, type WriteOrigin } from '../../contacts/writes/contact-write.js';
import { LimitedChanges } from '../../contacts/writes/limited-changes.js';
import { ListsRepository } from '../lists.repository.js';
import { MembershipWrites } from '../membership-writes.js';
import { MembershipsRepository } from '../memberships.repository.js';
import { PreferencesReadModel } from './preferences.read-model.js';
import { SubscriberContacts } from '../subscriber-contacts.js';

/** To leave all marketing mail is `contacts.unsubscribe`. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly subscribers: SubscriberContacts,
    private readonly writes: MembershipWrites,
    private readonly changes: LimitedChanges,
    private readonly preferences: PreferencesReadModel,
  ) {}

  @Handles(preferences.look)
  look({ caller: { projectId }, body: { email } }: Incoming<PreferencesOf>): Promise<Preferences> {
    return this.preferences.of(projectId, email);
  }

  @Handles(preferences.change)
  change({ caller, body, deadline }: Incoming<ChangePreference>): Promise<ChangedPreference> {
    const { projectId } = caller;
    const origin = originOf(caller, 'UNSUBSCRIBE_PAGE');
    const linkTarget = JSON.stringify([body.email, body.listId, body.subscribed]);
    return this.changes.run({ projectId, deadline, linkTarget }, async () => ({
      found: await (body.listId === undefined
        ? this.comeBack(projectId, body.email, origin)
        : this.changeMembership(projectId, { ...body, listId: body.listId }, origin)),
    }));
  }

  /** The contact is locked, so that whatever changed last is what is looked at. */
  private async comeBack(projectId: string, email: string, origin: WriteOrigin): Promise<boolean> {
    const contact = await this.subscribers.lockByEmail(projectId, email);
    if (contact?.subscribed) return true;
    if (!contact || !(await this.preferences.mayReturn(projectId, contact.id))) throw mayNotReturn();
    await this.subscribers.change(contact, { subscribed: true }, origin);
    return true;
  }

  private async changeMembership(
    projectId: string,
    { email, listId, subscribed }: ChangePreference & { listId: string },
    origin: WriteOrigin,
  ): Promise<boolean> {
    const list = await this.lists.lockShared(projectId, listId);
    const contact = list && (await this.subscribers.lockByEmail(projectId, email));
    const row = contact && (await this.memberships.of(projectId, listId, contact.id));
    if (subscribed && row?.status === 'CONFIRMED') return true;
    if (subscribed && (row?.status !== 'UNSUBSCRIBED' || !(await this.memberships.mayReturn(row))))
      throw mayNotReturn();
    if (!row) return false;
    await this.writes.change({ contact, row, origin }, () =>
      subscribed ? row.confirm() : row.unsubscribe(),
    );
    return true;
  }
}

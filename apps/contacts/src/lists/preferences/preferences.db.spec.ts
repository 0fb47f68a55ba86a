import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contacts, emailEvents, memberships, preferences, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { borrowContactsSuite, type BorrowedContacts } from '../../testing/contacts-suite.js';
import { listsFixture } from '../../testing/lists-fixture.js';

let suite: BorrowedContacts;
let fixture: ReturnType<typeof listsFixture>;
beforeAll(async () => {
  suite = await borrowContactsSuite();
  fixture = listsFixture(suite);
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
const refused = { kind: 'conflict', code: 'resubscribe_confirmation_required' };
let caller: Caller;
let page: Caller;
beforeEach(() => {
  ({ caller } = suite.buildProject());
  page = { projectId: caller.projectId, actor: { kind: 'SERVICE', id: 'gateway' } };
});

const look = () => suite.bus.call(preferences.look, page, { email });
const change = (subscribed: boolean, listId?: string) =>
  suite.bus.call(preferences.change, page, {
    email,
    subscribed,
    by: 'PREFERENCE_PAGE',
    ...(listId === undefined ? {} : { listId }),
  });
const leaveAll = () => suite.bus.call(contacts.unsubscribe, page, { email });
const isSubscribed = async () => (await look()).subscribed;
const statusOf = async () => (await look()).lists[0]!.status;

describe('the page of a mail takes back to all marketing mail', () => {
  it('who left on it, once', async () => {
    await suite.bus.call(contacts.create, caller, { email });
    await leaveAll();
    expect(await look()).toMatchObject({ subscribed: false, mayReturn: true });
    for (const _ of [1, 2]) expect(await change(true)).toEqual({ found: true });
    expect(await look()).toMatchObject({ subscribed: true, mayReturn: false });
  });

  it('nobody who was unsubscribed by a call since, or never subscribed', async () => {
    const { id } = await suite.bus.call(contacts.create, caller, { email, subscribed: false });
    const isRefused = async () => {
      expect(await look()).toMatchObject({ subscribed: false, mayReturn: false });
      await expect(change(true)).rejects.toMatchObject(refused);
      expect(await isSubscribed()).toBe(false);
    };
    await isRefused();
    await suite.bus.call(contacts.update, caller, { id, subscribed: true, customFieldsMode: 'MERGE' });
    await leaveAll();
    await change(true);
    await suite.bus.call(contacts.update, caller, { id, subscribed: false, customFieldsMode: 'MERGE' });
    await isRefused();
  });

  it('no recipient of transactional mail, and no address that is not a contact', async () => {
    await expect(change(true)).rejects.toMatchObject(refused);
    await suite.sending.publish(emailEvents.accepted, caller.projectId, [
      {
        emailId: newId(),
        to: email,
        from: 'hello@example.test',
        contactId: null,
        at: new Date(),
        sourceType: 'TRANSACTIONAL',
      },
    ]);
    await suite.sending.taken('contacts-recipients');
    expect(await look()).toMatchObject({ subscribed: false, mayReturn: false });
    await expect(change(true)).rejects.toMatchObject(refused);
  });
});

describe('the page of a mail takes back to a list', () => {
  it('who left it there as a confirmed member, once', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    await change(false, id);
    expect((await look()).lists).toMatchObject([{ status: 'UNSUBSCRIBED', mayReturn: true }]);
    for (const _ of [1, 2]) expect(await change(true, id)).toEqual({ found: true });
    expect((await look()).lists).toMatchObject([{ status: 'CONFIRMED', mayReturn: false }]);
  });

  it('nobody who was unsubscribed by a call', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    await change(false, id);
    await change(true, id);
    await suite.bus.call(memberships.unsubscribe, caller, { id, email });
    expect((await look()).lists).toMatchObject([{ status: 'UNSUBSCRIBED', mayReturn: false }]);
    await expect(change(true, id)).rejects.toMatchObject(refused);
    expect(await statusOf()).toBe('UNSUBSCRIBED');
  });

  it('nobody who has never confirmed, also where they left while they were asked', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    await fixture.subscribe(caller, id, { email });
    await expect(change(true, id)).rejects.toMatchObject(refused);
    await change(false, id);
    await expect(change(true, id)).rejects.toMatchObject(refused);
    expect(await statusOf()).toBe('UNSUBSCRIBED');
  });
});

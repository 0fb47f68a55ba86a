import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts, lists, memberships, type Caller, type Contact } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { watchMarks } from '../testing/segment-marks.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: ContactsSuite;
let fixture: ReturnType<typeof listsFixture>;
beforeAll(async () => {
  suite = await startContactsSuite();
  fixture = listsFixture(suite);
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
let caller: Caller;
/** A public key. */
let page: Caller;
let projectId: string;
beforeEach(() => {
  ({ caller, projectId } = suite.buildProject());
  page = { ...caller, isPublic: true };
});

const contactOf = async (): Promise<Contact | undefined> =>
  (await suite.bus.call(contacts.list, caller, {})).items[0];
const published = async () =>
  (await suite.eventsOf(projectId, contactEvents.membershipChanged)).map(({ status }) => status);
const expire = () =>
  suite.database.query(
    `UPDATE memberships SET token_ends_at = clock_timestamp() - interval '1 hour' WHERE project_id = $1`,
    [projectId],
  );
const over = { kind: 'gone', message: 'The confirmation link was used or has expired' };

describe('subscribing', () => {
  it('without double opt-in confirms at once and creates the contact; a repetition changes nothing', async () => {
    const { id } = await fixture.build(caller);
    const made = await fixture.subscribe(caller, id, {
      email: ' Ann@Example.ORG ',
      data: { plan: 'pro', none: null },
    });
    expect(made).toEqual({
      membershipId: made.membershipId,
      status: 'CONFIRMED',
      created: true,
      previousStatus: null,
    });
    expect(await contactOf()).toMatchObject({ email, subscribed: true, customFields: { plan: 'pro' } });
    expect(await fixture.subscribe(caller, id, { email })).toEqual({
      ...made,
      created: false,
      previousStatus: 'CONFIRMED',
    });
    expect(await published()).toEqual(['CONFIRMED']);
    expect(await fixture.countOf(caller, id)).toBe(1);
  });

  it('with a key of public forms returns no confirmation token, and with a key that reaches contacts only is refused', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const form: Caller = { ...page, confine: { subscribeOnly: true } };
    for (const status of [null, 'PENDING'])
      expect(await fixture.subscribe(form, id, { email })).toEqual({
        membershipId: expect.any(String),
        status: 'PENDING',
        created: status === null,
        previousStatus: status,
      });
    expect(await fixture.subscribe(caller, id, { email })).toMatchObject({
      confirmToken: expect.any(String),
    });
    const confined: Caller = { ...page, confine: { onlyContacts: true } };
    await expect(fixture.subscribe(confined, id, { email: 'new@example.org' })).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'scope_missing',
      message: expect.stringContaining('may not make contacts'),
    });
    expect((await suite.bus.call(contacts.list, caller, {})).items).toHaveLength(1);
  });

  it('from a page tells the project the link, and again only after a while', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const form: Caller = { ...page, confine: { subscribeOnly: true } };
    for (let round = 0; round < 3; round += 1) {
      await fixture.subscribe(form, id, { email });
      if (round === 1)
        await suite.database.query(
          `UPDATE memberships SET token_ends_at = token_ends_at - interval '11 minutes' WHERE project_id = $1`,
          [projectId],
        );
    }
    const told = await suite.eventsOf(projectId, contactEvents.listPending);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ email, listId: id, contactId: (await contactOf())!.id });
    // Events are stored for days, and whoever reads the link can confirm the address.
    expect(JSON.stringify(told)).not.toContain('token');
    const ids = [told[1]!.membershipId, newId()];
    const { urls } = await suite.bus.call(memberships.confirmUrls, caller, { ids });
    expect(urls.map(({ membershipId }) => membershipId)).toEqual([told[1]!.membershipId]);
    const link = /^http:\/\/localhost:3000\/api\/lists\/confirm-subscription\?token=(.+)$/;
    await fixture.confirm(link.exec(urls[0]!.confirmUrl)![1]!);
    expect((await contactOf())!.subscribed).toBe(true);
    expect((await suite.bus.call(memberships.confirmUrls, caller, { ids })).urls).toEqual([]);
  });

  it('with double opt-in is pending, and subscribes the new contact when it is confirmed', async () => {
    const marks = await watchMarks(suite.database, projectId);
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const made = await fixture.subscribe(caller, id, { email });
    expect(made).toMatchObject({
      status: 'PENDING',
      created: true,
      previousStatus: null,
      confirmToken: expect.any(String),
    });
    expect([(await contactOf())!.subscribed, await fixture.countOf(caller, id)]).toEqual([false, 0]);
    await fixture.confirm(made.confirmToken!);
    expect([(await contactOf())!.subscribed, await fixture.countOf(caller, id)]).toEqual([true, 1]);
    expect(await published()).toEqual(['PENDING', 'CONFIRMED']);
    expect(await suite.eventsOf(projectId, contactEvents.subscribed)).toHaveLength(1);
    // Created, pending, confirmed, and therefore subscribed.
    expect(await marks()).toHaveLength(4);
  });

  it('does not change the subscription of an existing contact', async () => {
    await suite.bus.call(contacts.create, caller, { email, subscribed: false });
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    await fixture.confirm((await fixture.subscribe(caller, id, { email })).confirmToken!);
    expect((await contactOf())!.subscribed).toBe(false);
  });

  it('again after an unsubscribe requires allowResubscribe, and reports the previous status', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    await fixture.unsubscribe(caller, id, email);
    await expect(fixture.subscribe(caller, id, { email, data: { plan: 'x' } })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'resubscribe_confirmation_required',
      details: { previousStatus: 'UNSUBSCRIBED' },
      // The member has a different name in each dialect.
      message: expect.not.stringMatching(/allow_?resubscribe/i),
    });
    expect((await contactOf())!.customFields).toEqual({});
    const back = { status: 'CONFIRMED', created: false, previousStatus: 'UNSUBSCRIBED' };
    expect(await fixture.subscribe(caller, id, { email, allowResubscribe: true })).toMatchObject(back);
    await fixture.unsubscribe(caller, id, email);
    await suite.bus.call(lists.update, caller, { id, doubleOptIn: true });
    const waits = await fixture.subscribe(caller, id, { email, allowResubscribe: true });
    expect(waits).toMatchObject({ status: 'PENDING', created: false, previousStatus: 'UNSUBSCRIBED' });
    expect(await published()).toEqual(['CONFIRMED', 'UNSUBSCRIBED', 'CONFIRMED', 'UNSUBSCRIBED', 'PENDING']);
  });

  it('turning double opt-in on does not demote confirmed members, and turning it off does not confirm pending ones', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    await suite.bus.call(lists.update, caller, { id, doubleOptIn: true });
    expect(await fixture.subscribe(caller, id, { email })).toMatchObject({ status: 'CONFIRMED' });
    await fixture.subscribe(caller, id, { email: 'ben@example.org' });
    await suite.bus.call(lists.update, caller, { id, doubleOptIn: false });
    expect(await fixture.subscribe(caller, id, { email: 'ben@example.org' })).toMatchObject({
      status: 'PENDING',
      created: false,
    });
  });

  it('merges custom fields from a server, but from a public page only into a new contact', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(page, id, { email, data: { plan: 'free' } });
    expect((await contactOf())!.customFields).toEqual({ plan: 'free' });
    await fixture.subscribe(page, id, { email, data: { plan: 'pro', admin: true } });
    expect((await contactOf())!.customFields).toEqual({ plan: 'free' });
    await fixture.subscribe(caller, id, { email, data: { plan: null, seats: 3 } });
    expect((await contactOf())!.customFields).toEqual({ seats: 3 });
  });

  it('fifty times concurrently creates one contact, one membership, one event and one token', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const all = await Promise.all(Array.from({ length: 50 }, () => fixture.subscribe(caller, id, { email })));
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(all.map(({ confirmToken, membershipId }) => `${confirmToken} ${membershipId}`)).size).toBe(
      1,
    );
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
    expect(await published()).toEqual(['PENDING']);
    const confirmed = await Promise.allSettled(
      Array.from({ length: 10 }, () => fixture.confirm(all[0]!.confirmToken!)),
    );
    expect(confirmed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.countOf(caller, id)).toBe(1);
  });
});

describe('the token of a pending membership', () => {
  it('is stored as a hash and can be used once', async () => {
    const { id } = await fixture.build(caller, {
      doubleOptIn: true,
      redirectUrl: 'https://shop.example/thanks',
    });
    const { confirmToken } = await fixture.subscribe(caller, id, { email });
    const rows = await suite.database.query(`SELECT * FROM memberships WHERE project_id = $1`, [projectId]);
    expect(JSON.stringify(rows)).not.toContain(confirmToken!.slice(-20));
    expect(rows[0]).toMatchObject({ token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (const _ of [1, 2])
      expect(await fixture.look(confirmToken!)).toEqual({
        listName: 'News',
        redirectUrl: 'https://shop.example/thanks',
      });
    expect(await fixture.confirm(confirmToken!)).toEqual({
      listName: 'News',
      redirectUrl: 'https://shop.example/thanks',
    });
    await expect(fixture.confirm(confirmToken!)).rejects.toMatchObject(over);
    await expect(fixture.look(confirmToken!)).rejects.toMatchObject(over);
    expect(await published()).toEqual(['PENDING', 'CONFIRMED']);
  });

  it('is valid for a day from its last request; a public page cannot invalidate one of a server', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const first = await fixture.subscribe(caller, id, { email });
    const left = async () => {
      const [row] = await suite.database.query<{ hours: number }>(
        `SELECT extract(epoch FROM token_ends_at - clock_timestamp())::float8 / 3600 AS hours FROM memberships WHERE project_id = $1`,
        [projectId],
      );
      return Math.round(row!.hours * 10) / 10;
    };
    expect(await left()).toBe(24);
    await suite.database.query(
      `UPDATE memberships SET token_ends_at = clock_timestamp() + interval '1 hour' WHERE project_id = $1`,
      [projectId],
    );
    const again = await fixture.subscribe(page, id, { email });
    expect(again).toEqual({ ...first, created: false, previousStatus: 'PENDING' });
    expect(await left()).toBe(24);
    await fixture.confirm(first.confirmToken!);
  });

  it('confirms nothing after it expired; a repeated request issues another one', async () => {
    const { id } = await fixture.build(caller, { doubleOptIn: true });
    const first = (await fixture.subscribe(caller, id, { email })).confirmToken!;
    await expire();
    await expect(fixture.look(first)).rejects.toMatchObject(over);
    await expect(fixture.confirm(first)).rejects.toMatchObject(over);
    const second = (await fixture.subscribe(caller, id, { email })).confirmToken!;
    expect(second).not.toBe(first);
    await expect(fixture.confirm(first)).rejects.toMatchObject(over);
    await fixture.confirm(second);
    expect(await fixture.countOf(caller, id)).toBe(1);
  });

  it.each(['by the page', 'by a change', 'in bulk', 'after they had come by another way'] as const)(
    'subscribes nobody to all mail who opted out of it meanwhile: %s',
    async (how) => {
      const { id } = await fixture.build(caller, { doubleOptIn: true });
      const token = (await fixture.subscribe(caller, id, { email })).confirmToken!;
      const contact = (await contactOf())!;
      if (how === 'by a change') {
        await suite.bus.call(contacts.update, caller, {
          id: contact.id,
          subscribed: false,
          customFieldsMode: 'MERGE',
        });
      } else if (how === 'in bulk') {
        await suite.bus.call(contacts.bulk, caller, {
          contacts: [{ email, subscribed: false }, { email: 'else@example.org' }],
        });
      } else {
        if (how === 'after they had come by another way')
          await suite.bus.call(contacts.upsert, caller, { email, subscribed: true });
        await suite.bus.call(contacts.unsubscribe, caller, { email });
      }
      await fixture.confirm(token);
      expect(await suite.bus.call(contacts.get, caller, { id: contact.id })).toMatchObject({
        subscribed: false,
      });
      expect(await fixture.countOf(caller, id)).toBe(1);
    },
  );

  it.each(['unsubscribed', 'come back', 'the contact deleted', 'the list deleted'] as const)(
    'is over with its membership: %s',
    async (how) => {
      const { id } = await fixture.build(caller, { doubleOptIn: true });
      const token = (await fixture.subscribe(caller, id, { email })).confirmToken!;
      if (how === 'the contact deleted')
        await suite.bus.call(contacts.delete, caller, { id: (await contactOf())!.id });
      else if (how === 'the list deleted') await suite.bus.call(lists.delete, caller, { id });
      else await fixture.unsubscribe(caller, id, email);
      if (how === 'come back') await fixture.subscribe(caller, id, { email, allowResubscribe: true });
      await expect(fixture.confirm(token)).rejects.toMatchObject(over);
      expect(await fixture.recount(caller, id)).toBe(0);
    },
  );
});

describe('unsubscribing', () => {
  it('has the same answer for every address, creates nothing, and changes the membership only', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    await suite.bus.call(contacts.create, caller, { email: 'ben@example.org' });
    for (const each of [email, email, 'ben@example.org', 'nobody@example.org'])
      expect(await fixture.unsubscribe(page, id, each)).toEqual({ email: each });
    expect((await suite.bus.call(contacts.list, caller, { withTotal: true })).total).toBe(2);
    expect(await published()).toEqual(['CONFIRMED', 'UNSUBSCRIBED']);
    expect(await suite.eventsOf(projectId, contactEvents.unsubscribed)).toEqual([]);
    expect(suite.optOuts.filter((each) => each.projectId === projectId)).toEqual([]);
  });
});

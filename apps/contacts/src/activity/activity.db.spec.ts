import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  activity,
  contacts,
  events,
  lists,
  segments,
  type Activity,
  type Caller,
  type MailHistoryEvent,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: ContactsSuite;
beforeAll(async () => {
  suite = await startContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ada@example.org';

async function buildContact(): Promise<{ caller: Caller; id: string }> {
  const { caller } = suite.buildProject();
  const { id } = await suite.bus.call(contacts.create, caller, { email });
  suite.mail.clear();
  return { caller, id };
}

const page = (caller: Caller, id: string, query: { limit?: number; after?: { at: Date; id: string } } = {}) =>
  suite.bus.call(activity.list, caller, { id, ...query });

async function all(caller: Caller, id: string, limit: number): Promise<Activity[]> {
  const found: Activity[] = [];
  for (let after: { at: Date; id: string } | undefined; ;) {
    const { items, next, hasMore } = await page(caller, id, { limit, after });
    found.push(...items);
    expect(hasMore).toBe(next !== null);
    if (!next) return found;
    after = next;
  }
}

const event = (at: Date, overrides: Partial<MailHistoryEvent> = {}): MailHistoryEvent => ({
  id: newId(),
  at,
  kind: 'email.accepted',
  emailId: newId(),
  subject: 'Hello',
  detail: null,
  link: null,
  ...overrides,
});

const kindsOf = (items: Activity[]) => items.map(({ kind }) => kind);
const record = (caller: Caller, contactId: string, name: string) =>
  suite.bus.call(events.record, caller, { name, contactId, payload: { plan: 'pro' } });

describe('the activity of a contact', () => {
  it('merges the events of all sources, newest first', async () => {
    const { caller, id } = await buildContact();
    const fixture = listsFixture(suite);
    const list = await fixture.build(caller, { doubleOptIn: true });
    const { confirmToken } = await fixture.subscribe(caller, list.id, { email });
    await fixture.confirm(confirmToken!);
    await record(caller, id, 'signup');
    const segment = await suite.bus.call(segments.create, caller, {
      name: 'Pro',
      type: 'STATIC',
      trackMembership: true,
    });
    await suite.bus.call(segments.addMembers, caller, { id: segment.id, emails: [email] });
    await suite.bus.call(segments.removeMembers, caller, { id: segment.id, emails: [email] });
    await fixture.unsubscribe(caller, list.id, email);
    await suite.bus.call(contacts.unsubscribe, caller, { email });
    const { items, hasMore } = await page(caller, id);
    expect([kindsOf(items), hasMore]).toEqual([
      [
        ...['contact.unsubscribed', 'list.unsubscribed', 'segment.exited', 'segment.entered'],
        ...['event.recorded', 'list.confirmed', 'list.pending', 'contact.subscribed'],
      ],
      false,
    ]);
    expect(items.map(({ data }) => data)).toEqual([
      { source: 'UNSUBSCRIBE_PAGE' },
      { listId: list.id, listName: 'News' },
      { segmentId: segment.id, segmentName: 'Pro' },
      { segmentId: segment.id, segmentName: 'Pro' },
      { eventName: 'signup', payload: { plan: 'pro' }, occurredAt: expect.any(Date) },
      { listId: list.id, listName: 'News' },
      { listId: list.id, listName: 'News' },
      { source: expect.any(String) },
    ]);
    const [between, later] = [items[4]!.at, new Date(items[0]!.at.getTime() + 1)];
    const clicked = { kind: 'email.clicked', link: 'https://shop.example/' } as const;
    suite.mail.set(email, [
      event(between, { id: '00000000-0000-7000-8000-000000000000' }),
      event(later, clicked),
    ]);
    const merged = (await page(caller, id)).items;
    expect(kindsOf(merged).slice(0, 7)).toEqual([
      ...['email.clicked', 'contact.unsubscribed', 'list.unsubscribed', 'segment.exited'],
      ...['segment.entered', 'event.recorded', 'email.accepted'],
    ]);
    expect(merged[0]!.data).toEqual({
      emailId: expect.any(String),
      subject: 'Hello',
      link: 'https://shop.example/',
    });
    for (const limit of [1, 2, 3, 7]) expect(await all(caller, id, limit)).toEqual(merged);
  });

  it('shows each item on exactly one page, even if many share an instant', async () => {
    const { caller, id } = await buildContact();
    await Promise.all(Array.from({ length: 60 }, (_, turn) => record(caller, id, `event ${turn}`)));
    const recorded = (await all(caller, id, 100)).filter(({ kind }) => kind === 'event.recorded');
    suite.mail.set(
      email,
      recorded.flatMap(({ at }) =>
        [event(at), event(at, { id: '00000000-0000-7000-8000-000000000000' })].slice(
          0,
          1 + Number(at === recorded[0]!.at),
        ),
      ),
    );
    const whole = await all(caller, id, 100);
    expect([whole.length, new Set(whole.map((item) => item.id)).size]).toEqual([122, 122]);
    for (const limit of [1, 7, 50]) expect(await all(caller, id, limit)).toEqual(whole);
  });

  it('keeps the history of deleted lists and segments without their names, and has none of untracked segments', async () => {
    const { caller, id } = await buildContact();
    const fixture = listsFixture(suite);
    const list = await fixture.build(caller);
    await fixture.subscribe(caller, list.id, { email });
    await suite.bus.call(lists.delete, caller, { id: list.id });
    const plain = await suite.bus.call(segments.create, caller, { name: 'Plain', type: 'STATIC' });
    await suite.bus.call(segments.addMembers, caller, { id: plain.id, emails: [email] });
    const { items } = await page(caller, id);
    expect(kindsOf(items)).toEqual(['list.confirmed', 'contact.subscribed']);
    expect(items[0]!.data).toEqual({ listId: list.id, listName: null });
  });

  it('is deleted with its contact and hidden from other projects', async () => {
    const { caller, id } = await buildContact();
    const fixture = listsFixture(suite);
    await fixture.subscribe(caller, (await fixture.build(caller)).id, { email });
    await expect(page(suite.buildProject().caller, id)).rejects.toMatchObject({ kind: 'not_found' });
    await suite.bus.call(contacts.delete, caller, { id });
    await expect(page(caller, id)).rejects.toMatchObject({ kind: 'not_found' });
    expect(
      await suite.database.query(`SELECT 1 FROM contact_history WHERE project_id = $1`, [caller.projectId]),
    ).toEqual([]);
  });

  it('is unavailable while its mail is unavailable', async () => {
    const { caller, id } = await buildContact();
    await suite.loseSending();
    await expect(page(caller, id)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

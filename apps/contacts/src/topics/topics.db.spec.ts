import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  consents,
  contacts,
  maxTopics,
  preferences,
  topicChoiceEvents,
  topicChoices,
  topicEvents,
  topics,
  type Caller,
  type CreateTopic,
  type PageSource,
  type Topic,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
let caller: Caller;
let page: Caller;
beforeEach(() => {
  ({ caller } = suite.buildProject());
  page = { projectId: caller.projectId, actor: { kind: 'SERVICE', id: 'gateway' } };
});

const build = (key: string, more: Partial<CreateTopic> = {}): Promise<Topic> =>
  suite.bus.call(topics.create, caller, { key, name: key, ...more });
const contact = async () => (await suite.bus.call(contacts.create, caller, { email })).id;
const put = (id: string, chosen: Record<string, unknown>) =>
  suite.bus.call(topicChoices.put, caller, { id, topics: chosen });
const choose = (topicId: string, subscribed: boolean, by: PageSource = 'PREFERENCE_PAGE') =>
  suite.bus.call(preferences.change, page, { email, topicId, subscribed, by });
const look = (topicId?: string) =>
  suite.bus.call(preferences.look, page, { email, ...(topicId ? { topicId } : {}) });
const chosen = async (id: string) =>
  (await suite.bus.call(topicChoices.list, caller, { id })).data.map(
    ({ key, optedIn, source }) => `${key} ${optedIn} ${source}`,
  );
const consentsOf = async (id: string) =>
  (await suite.bus.call(consents.list, caller, { id })).items.filter(({ topicId }) => topicId !== null);

describe('topics', () => {
  it('have unique keys in their project, also where they are made at once, and publish their changes', async () => {
    const made = await Promise.allSettled(Array.from({ length: 5 }, () => build('news')));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const taken = { kind: 'conflict', message: 'A topic with this key already exists' };
    await expect(build('news')).rejects.toMatchObject(taken);
    const [first] = (await suite.bus.call(topics.list, caller, {})).items;
    const again = await suite.bus.call(topics.update, caller, { id: first!.id, name: first!.name });
    expect(again).toEqual(first);
    await suite.bus.call(topics.update, caller, { id: first!.id, archived: true });
    await expect(build('news')).rejects.toMatchObject(taken);
    expect(await suite.eventsOf(caller.projectId, topicEvents.changed)).toHaveLength(2);
    const { caller: stranger } = suite.buildProject();
    await suite.bus.call(topics.create, stranger, { key: 'news', name: 'News' });
    await expect(suite.bus.call(topics.get, stranger, { id: first!.id })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('are limited, also where archived ones come back', async () => {
    for (let count = 0; count < maxTopics - 1; count += 1) await build(`topic-${count}`);
    const old = await build('old', { archived: true });
    await build('last');
    const refused = { kind: 'conflict', code: 'conflict' };
    await expect(build('more')).rejects.toMatchObject(refused);
    await expect(
      suite.bus.call(topics.update, caller, { id: old.id, archived: false }),
    ).rejects.toMatchObject(refused);
    await build('more', { archived: true });
    const page = await suite.bus.call(topics.list, caller, { withTotal: true, limit: 1 });
    expect(page).toMatchObject({ total: maxTopics, hasMore: true });
  });
});

describe('choices', () => {
  it('follow the default until they are made; each change has one consent and one event', async () => {
    const news = await build('news');
    await build('offers', { defaultOptIn: false });
    const id = await contact();
    expect(await chosen(id)).toEqual(['news true DEFAULT', 'offers false DEFAULT']);
    await suite.bus.call(topics.update, caller, { id: news.id, defaultOptIn: false });
    expect(await chosen(id)).toEqual(['news false DEFAULT', 'offers false DEFAULT']);
    await Promise.all(Array.from({ length: 8 }, () => put(id, { news: true })));
    await put(id, { news: false, offers: false });
    expect(await chosen(id)).toEqual(['news false API', 'offers false API']);
    const recorded = await consentsOf(id);
    expect(recorded).toHaveLength(3);
    expect(recorded.filter(({ topicId }) => topicId === news.id)).toMatchObject([
      { before: true, after: false, source: 'API' },
      { before: null, after: true, source: 'API' },
    ]);
    const events = await suite.eventsOf(caller.projectId, topicChoiceEvents.chosen);
    expect(events).toHaveLength(3);
  });

  it('are all stored or none', async () => {
    await build('news');
    await build('old', { archived: true });
    const id = await contact();
    for (const wrong of [{ other: true }, { old: true }, { constructor: true }, { offers: 1 }])
      await expect(put(id, { news: false, ...wrong })).rejects.toMatchObject({ kind: 'invalid' });
    expect([await chosen(id), await consentsOf(id)]).toEqual([['news true DEFAULT'], []]);
    await expect(put(newId(), { news: true })).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are made on pages and by links, in either direction, whoever chose last', async () => {
    const news = await build('news');
    const id = await contact();
    await put(id, { news: false });
    expect(await choose(news.id, true)).toEqual({ found: true });
    expect(await chosen(id)).toEqual(['news true PREFERENCE_PAGE']);
    for (const _ of [1, 2]) await choose(news.id, false, 'UNSUBSCRIBE_LINK');
    expect(await chosen(id)).toEqual(['news false UNSUBSCRIBE_LINK']);
    expect((await look()).topics).toEqual([{ id: news.id, name: 'news', description: null, optedIn: false }]);
    expect((await consentsOf(id)).map(({ source }) => source)).toEqual([
      'UNSUBSCRIBE_PAGE',
      'UNSUBSCRIBE_PAGE',
      'API',
    ]);
    expect(await choose(newId(), false)).toEqual({ found: false });
    await expect(choose(newId(), true)).rejects.toMatchObject({ code: 'resubscribe_confirmation_required' });
  });

  it('of an archived topic are shown only to who comes from its mail, and can be left', async () => {
    const news = await build('news');
    const id = await contact();
    await suite.bus.call(topics.update, caller, { id: news.id, archived: true });
    expect([(await look()).topics, await chosen(id)]).toEqual([[], []]);
    expect((await look(news.id)).topics).toMatchObject([{ id: news.id, optedIn: true }]);
    await choose(news.id, false, 'UNSUBSCRIBE_LINK');
    expect((await look(news.id)).topics).toMatchObject([{ optedIn: false }]);
  });

  it('say nothing of the subscription as a whole', async () => {
    const news = await build('news');
    const id = await contact();
    await suite.bus.call(contacts.unsubscribe, page, { email });
    await choose(news.id, false);
    await choose(news.id, true);
    expect(await look()).toMatchObject({ subscribed: false, mayReturn: true });
    const back = { email, subscribed: true, by: 'PREFERENCE_PAGE' } as const;
    expect(await suite.bus.call(preferences.change, page, back)).toEqual({ found: true });
    await choose(news.id, false);
    expect(await suite.bus.call(contacts.get, caller, { id })).toMatchObject({ subscribed: true });
  });

  it('belong to their project', async () => {
    const news = await build('news');
    const { caller: stranger } = suite.buildProject();
    await suite.bus.call(contacts.create, stranger, { email });
    const foreign = { ...page, projectId: stranger.projectId };
    const change = { email, topicId: news.id, subscribed: false, by: 'PREFERENCE_PAGE' } as const;
    expect(await suite.bus.call(preferences.change, foreign, change)).toEqual({ found: false });
    expect((await suite.bus.call(preferences.look, foreign, { email, topicId: news.id })).topics).toEqual([]);
  });

  it.each([
    ['de', 'de'],
    [' ', null],
    [7, '7'],
    [{ a: 1 }, expect.any(String)],
    [null, null],
    ['x'.repeat(100), 'x'.repeat(35)],
  ])('stand on a page in the language %j of the contact', async (language, expected) => {
    await suite.bus.call(contacts.create, caller, { email, customFields: { language } });
    expect((await look()).language).toEqual(expected);
  });
});

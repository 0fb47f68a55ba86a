import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
} from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const suite = withPosthorn();
const done = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const { status, text, body: answer } = await suite.posthorn.request(method, `/api/v1/${path}`, body);
  if (status >= 300) throw new Error(text);
  return answer;
};
const draft = { name: 'Spring', body: '<p>Hello</p>', from: 'news@example.test', audience_type: 'ALL' };
const ids = new Map<string, string>();
let topicId: string;
let listId: string;

beforeAll(async () => {
  topicId = (await done('topics', { key: 'news', name: 'News' })).id;
  await done('topics', { key: 'offers', name: 'Offers', default_opt_in: false });
  listId = (await done('lists', { name: 'Readers' })).id;
  for (const name of ['ada', 'bob', 'cy']) {
    const email = `${name}@example.org`;
    ids.set(name, (await done('contacts', { email })).id);
    await done(`lists/${listId}/subscribe`, { email });
  }
  await done(`contacts/${ids.get('bob')}/topics`, { topics: { news: false } }, 'PUT');
});

const topicsOf = async (name: string) =>
  Object.fromEntries(
    (await done(`contacts/${ids.get(name)}/topics`)).data.map(
      ({ key, opted_in, source }: { key: string; opted_in: boolean; source: string }) => [
        key,
        `${opted_in} ${source}`,
      ],
    ),
  );
const sent = async (campaign: object) => {
  const { id } = await done('campaigns', { ...draft, ...campaign });
  await done(`campaigns/${id}/send`, {});
  await eventually(async () => (await done(`campaigns/${id}`)).status === 'SENT', 'it is sent');
  return id as string;
};
const leaveUrlOf = async (subject: string) => {
  const { id } = await eventually(
    async () => (await inboxMessages(suite.posthorn)).find((message) => message.subject === subject),
    'it arrives',
  );
  const raw = (await rawMessage(suite.posthorn, id))
    .replace(/=\r\n|\r\n(?=[ \t])/g, '')
    .replaceAll('=3D', '=');
  const link = /List-Unsubscribe: *<([^>]+)>/.exec(raw)![1]!;
  return { raw, url: suite.posthorn.dev.baseUrl + new URL(link).pathname };
};

describe('a campaign with a topic', () => {
  it('goes to those who are opted in; the others are skipped, and a dry run says so', async () => {
    const campaign = { ...draft, subject: 'To the topic', topic_id: topicId };
    const { id, topic_id } = await done('campaigns', campaign);
    expect(topic_id).toBe(topicId);
    const tried = await done(`campaigns/${id}/dry-run`, {});
    expect(tried).toMatchObject({ total: 3, recipients: 2, excluded: { topic: 1 } });
    await done(`campaigns/${id}/send`, {});
    await eventually(async () => (await done(`campaigns/${id}`)).status === 'SENT', 'it is sent');
    const outcomes = (await done(`campaigns/${id}/recipients`)).data.map(
      ({ email, outcome, reason }: Record<string, string>) => [email, outcome, reason],
    );
    expect(outcomes.sort()).toEqual([
      ['ada@example.org', 'SENT', null],
      ['bob@example.org', 'SKIPPED', 'topic'],
      ['cy@example.org', 'SENT', null],
    ]);
    const ignored = await sent({ subject: 'Receipt', topic_id: topicId, email_category: 'TRANSACTIONAL' });
    expect((await done(`campaigns/${ignored}`)).stats).toMatchObject({ total_recipients: 3, sent: 3 });
  });

  it('is left by one click, and nothing else is', async () => {
    const only = { audience_type: 'LIST', list_id: listId, topic_id: topicId };
    await done(`contacts/${ids.get('cy')}/topics`, { topics: { news: false } }, 'PUT');
    await sent({ ...only, subject: 'One click' });
    const { url } = await leaveUrlOf('One click');
    const oneClick = {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await fetch(url)).status).toBe(200);
    expect(await topicsOf('ada')).toEqual({ news: 'true DEFAULT', offers: 'false DEFAULT' });
    for (const _ of [1, 2]) expect((await fetch(url, oneClick)).status).toBe(200);
    expect(await topicsOf('ada')).toEqual({ news: 'false UNSUBSCRIBE_LINK', offers: 'false DEFAULT' });
    expect((await done(`contacts/${ids.get('ada')}`)).subscribed).toBe(true);
    const members = (await done(`lists/${listId}/members?status=CONFIRMED`)).data;
    expect(members).toHaveLength(3);
    const consents = (await done(`contacts/${ids.get('ada')}/consents`)).data;
    expect(consents[0]).toMatchObject({
      topic_id: topicId,
      before: null,
      after: false,
      source: 'UNSUBSCRIBE_PAGE',
    });
    expect(consents.filter((each: { topic_id: string | null }) => each.topic_id !== null)).toHaveLength(1);
  });

  it.each(surfaces)('names a topic of the project that is not archived, on %s', async (surface) => {
    const path = `${prefixes[surface]}/campaigns`;
    const { id: archived } = await done('topics', { key: `old-${surface}`, name: 'Old', archived: true });
    const v1 = surface === 'v1';
    const wanted = { name: 'Spring', [v1 ? 'audience_type' : 'audienceType']: 'ALL' };
    for (const [id, code] of [
      [randomId, 'not_found'],
      [archived, 'not_allowed'],
    ] as const)
      expectRefusal(
        await suite.posthorn.post(path, { ...wanted, [v1 ? 'topic_id' : 'topicId']: id }),
        surface,
        path,
        { status: 422, errors: [[pointerOn(surface, v1 ? '/topic_id' : '/topicId'), code]] },
      );
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  contacts,
  mayNotReturn,
  preferences,
  type ChangePreference,
  type Preferences,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { EngagementTokens } from '@posthorn/mail';
import { standIn, testSecret } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const tokens = new EngagementTokens([testSecret]);
const email = 'ann@example.org';
const [topicId, otherTopicId, listId] = [newId(), newId(), newId()];

let suite: GatewaySuite;
let state: Preferences;
let changed: ChangePreference[];
let left: number;
let stop: (() => Promise<void>)[];

beforeAll(async () => {
  suite = await startGatewaySuite({ ANSWER_WITHIN_MS: '8000' });
  stop = [
    await standIn(suite.connection, preferences.look, async () => state),
    await standIn(suite.connection, preferences.change, async (change) => {
      changed.push({ ...change });
      const topic = state.topics.find(({ id }) => id === change.topicId);
      const list = state.lists.find(({ id }) => id === change.listId);
      if (list && change.subscribed && !list.mayReturn) throw mayNotReturn();
      if (topic) topic.optedIn = change.subscribed;
      else if (list)
        Object.assign(list, {
          status: change.subscribed ? 'CONFIRMED' : 'UNSUBSCRIBED',
          mayReturn: !change.subscribed,
        });
      else if (!change.topicId && !change.listId) state.subscribed = change.subscribed;
      return { found: Boolean(topic ?? list ?? (!change.topicId && !change.listId)) };
    }),
    await standIn(suite.connection, contacts.unsubscribe, async (body) => {
      left += 1;
      Object.assign(state, { subscribed: false, mayReturn: true });
      return body;
    }),
  ];
});
afterAll(async () => {
  await Promise.all(stop.map((each) => each()));
  await suite.stop();
});
beforeEach(() => {
  [changed, left] = [[], 0];
  state = {
    subscribed: true,
    mayReturn: false,
    language: null,
    lists: [{ id: listId, name: 'Readers', status: 'CONFIRMED', mayReturn: false }],
    topics: [
      { id: topicId, name: 'News <i>', description: 'Once a month & more', optedIn: true },
      { id: otherTopicId, name: 'Offers', description: null, optedIn: false },
    ],
  };
});

async function link(prefix: '/u' | '/p', more: object = {}, language = 'en') {
  const { projectId } = await suite.buildProject();
  await suite.database.query(`UPDATE projects SET language = $2, name = 'Shop & Co' WHERE id = $1`, [
    projectId,
    language,
  ]);
  return `${prefix}/${tokens.forUnsubscribe({ projectId, emailId: newId(), email, ...more })}`;
}
const show = (path: string) => suite.request('GET', path);
const post = (path: string, body: string) =>
  suite.request('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

describe('the preference page', () => {
  it('shows what is so, and whose mail it is; opening it changes nothing', async () => {
    const path = await link('/p');
    const { status, text, headers } = await show(path);
    expect([status, headers.get('x-robots-tag')]).toEqual([200, 'noindex, nofollow']);
    for (const part of [
      '<title>What you receive · Shop &amp; Co</title>',
      '<p class="brand">Shop &amp; Co</p>',
      '<strong>ann@example.org</strong>',
      '<strong>News &lt;i&gt;</strong>',
      'Once a month &amp; more',
      '<strong>Offers</strong>',
      '<strong>Readers</strong>',
      'Unsubscribe from everything',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/Posthorn|<script|style=|\son\w+=/);
    expect(text.match(/You receive this\./g)).toHaveLength(2);
    expect(text.match(/You do not receive this\./g)).toHaveLength(1);
    expect((await suite.request('HEAD', path)).status).toBe(200);
    expect([changed, left]).toEqual([[], 0]);
  });

  it.each([
    ['topic', topicId, false],
    ['topic', otherTopicId, true],
    ['list', listId, false],
  ] as const)('changes a %s, and has an undo', async (kind, id, subscribed) => {
    const path = await link('/p');
    const [act, back] = subscribed ? ['join', 'leave'] : ['leave', 'join'];
    const { text } = await post(path, `do=${act}&${kind}=${id}`);
    expect(text).toMatch(
      new RegExp(
        `role="status"[\\s\\S]*Your choice is saved[\\s\\S]*value="${back}"[\\s\\S]*name="${kind}" value="${id}"[\\s\\S]*>Undo<`,
      ),
    );
    expect((await show(path)).text).not.toContain('Your choice is saved');
    expect((await post(path, `do=${back}&${kind}=${id}`)).text).toContain('Your choice is saved');
    const of = { email, [`${kind}Id`]: id, by: 'PREFERENCE_PAGE' };
    expect(changed).toEqual([
      { ...of, subscribed },
      { ...of, subscribed: !subscribed },
    ]);
  });

  it('leaves everything and takes it back, and says so when it is opened again', async () => {
    const path = await link('/p', { topicId });
    expect((await post(path, 'do=leave&list=all')).text).toMatch(/Your choice is saved[\s\S]*>Undo</);
    expect(left).toBe(1);
    const { text } = await show(path);
    for (const part of ['is unsubscribed from everything', 'Until you subscribe again', 'value="join"'])
      expect(text).toContain(part);
    expect((await post(path, 'do=join&list=all')).text).toContain('receives news from Shop');
  });

  it('has no way back to a list that was not left there, but to topics', async () => {
    Object.assign(state.lists[0]!, { status: 'UNSUBSCRIBED' });
    const path = await link('/p');
    expect((await show(path)).text).toContain('please use the sign-up form of Shop &amp; Co');
    const refused = await post(path, `do=join&list=${listId}`);
    expect([refused.status, refused.text.includes('is saved')]).toEqual([409, false]);
    expect((await post(path, `do=join&topic=${otherTopicId}`)).status).toBe(200);
  });

  it.each(['do=leave&topic=x', 'do=leave&topic=all', `do=drop&topic=${topicId}`, `topic=${topicId}`, ''])(
    'refuses %j',
    async (body) => {
      expect((await post(await link('/p'), body)).status).toBe(422);
      expect([changed, left]).toEqual([[], 0]);
    },
  );

  it.each([
    ['en', null, 'en', 'What you receive'],
    ['de', null, 'de', 'Was Sie bekommen'],
    ['en', 'de-AT', 'de', 'Was Sie bekommen'],
    ['de', 'fr_CA', 'fr', 'Ce que vous recevez'],
    ['en', 'ES', 'es', 'Lo que recibe'],
    ['de', 'pl', 'de', 'Was Sie bekommen'],
    ['pl', '', 'en', 'What you receive'],
    ['en', 'constructor', 'en', 'What you receive'],
  ])('of a project in %s for a contact in %j is in %s', async (project, contact, language, title) => {
    state.language = contact || null;
    const { text } = await show(await link('/p', {}, project));
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`<h1>${title}</h1>`);
  });

  it('of a forged link is that of any link that does not work', async () => {
    const path = await link('/p', { topicId });
    const forged = [
      path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A'),
      '/p/x',
      `/p/${tokens.forOpen({ projectId: newId(), emailId: newId(), position: 0 })}`,
      '/u/x',
    ];
    const answers = await Promise.all(
      forged.flatMap((each) => [show(each), post(each, `do=leave&topic=${topicId}`)]),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]!.status, changed, left]).toEqual([404, [], 0]);
  });
});

describe('the link of a mail about a topic', () => {
  it('leaves the topic by one click, rather than its list or everything', async () => {
    const path = await link('/u', { topicId, listId });
    const { status, text } = await post(path, 'List-Unsubscribe=One-Click');
    expect([status, text, left]).toEqual([200, '', 0]);
    expect(changed).toEqual([{ email, topicId, subscribed: false, by: 'UNSUBSCRIBE_LINK' }]);
  });

  it('leaves everything where topic or contact are gone', async () => {
    expect((await post(await link('/u', { topicId: newId() }), 'List-Unsubscribe=One-Click')).status).toBe(
      200,
    );
    expect(left).toBe(1);
  });

  it('shows the topic first, then everything, and says what is already so', async () => {
    const path = await link('/u', { topicId });
    expect((await show(path)).text).toMatch(
      /<h1>Unsubscribe\?[\s\S]*receives the topic <strong>News &lt;i&gt;[\s\S]*Stop this topic[\s\S]*Unsubscribe from everything[\s\S]*Your topics[\s\S]*Offers[\s\S]*Your lists[\s\S]*Readers/,
    );
    expect((await post(path, 'confirmed=yes')).text).toContain('<h1>You are unsubscribed</h1>');
    expect((await show(path)).text).toMatch(
      /<h1>You are unsubscribed[\s\S]*does not receive the topic[\s\S]*Undo: subscribe again/,
    );
    expect((await post(path, `do=join&topic=${topicId}`)).text).toContain('You are subscribed again');
  });
});

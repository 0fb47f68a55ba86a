import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
import { expectWithin } from '../testing/fastest.js';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const tokens = new EngagementTokens([testSecret]);
const email = "o'brien&co@example.org";

let suite: GatewaySuite;
let left: { projectId: string; email: string }[] = [];
let leave: () => Promise<void>;
const contactsCome = async () => {
  leave = await standIn(suite.connection, contacts.unsubscribe, async (body, { projectId }) => {
    left.push({ projectId, email: body.email });
    return body;
  });
};

beforeAll(async () => {
  suite = await startGatewaySuite({ ANSWER_WITHIN_MS: '8000' }, { breakable: true });
  await contactsCome();
});
beforeEach(() => {
  left = [];
});
afterAll(async () => {
  await leave();
  await suite.stop();
});

async function buildLink(language = 'en', name = 'Shop <b>'): Promise<{ projectId: string; path: string }> {
  const { projectId } = await suite.buildProject();
  await suite.database.query(`UPDATE projects SET language = $2, name = $3 WHERE id = $1`, [
    projectId,
    language,
    name,
  ]);
  return { projectId, path: `/u/${tokens.forUnsubscribe({ projectId, emailId: newId(), email })}` };
}

const form = 'application/x-www-form-urlencoded';
const post = (path: string, body: string, type = form, headers: Record<string, string> = {}) =>
  suite.request('POST', path, { body, headers: { 'content-type': type, ...headers } });

describe('the page of an unsubscribe link', () => {
  it('shows a form, escapes values, runs no script and changes nothing', async () => {
    const { path } = await buildLink();
    const published = await suite.request('GET', path);
    expect([published.status, published.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(published.text).toContain(
      '<strong>o&#39;brien&amp;co@example.org</strong> will no longer receive news from Shop &lt;b&gt;.',
    );
    expect(published.text).not.toMatch(/<script|style=|\son\w+=/);
    expect(published.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self';/,
    );
    expect(published.headers.get('x-robots-tag')).toContain('noindex');
    expect((await suite.request('HEAD', path)).status).toBe(200);
    for (const userAgent of ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'curl/8.5.0'])
      expect(
        (
          await suite.request('GET', `${path}?confirm=1&confirmed=yes`, {
            headers: { 'user-agent': userAgent },
          })
        ).status,
      ).toBe(200);
    expect(left).toEqual([]);
  });

  it.each([
    ['en', 'en', 'Unsubscribe?', 'You are unsubscribed'],
    ['de-AT', 'de', 'Abbestellen?', 'Abbestellt'],
    ['fr', 'fr', 'Se désabonner ?', 'Désabonnement effectué'],
    ['es', 'es', '¿Darse de baja?', 'Baja realizada'],
    ['pl', 'en', 'Unsubscribe?', 'You are unsubscribed'],
  ])('of a project in %s is in %s', async (language, described, requests, done) => {
    const { path, projectId } = await buildLink(language);
    const [page, after] = [await suite.request('GET', path), await post(path, 'confirmed=yes')];
    expect(page.text).toContain(`<html lang="${described}">`);
    expect(page.text).toContain(`<h1>${requests}</h1>`);
    expect([after.status, after.text]).toEqual([200, expect.stringContaining(`<h1>${done}</h1>`)]);
    expect(left).toEqual([{ projectId, email }]);
  });

  it('works on every host and without cookies', async () => {
    const { path, projectId } = await buildLink();
    const published = await post(path, 'confirmed=yes', form, {
      origin: 'https://news.customer.example',
      host: 'news.customer.example',
    });
    expect([published.status, left]).toEqual([200, [{ projectId, email }]]);
  });

  it('is shown in English while the database is unavailable, and still works', async () => {
    const { path, projectId } = await buildLink('de');
    suite.line.cut();
    try {
      const published = await suite.request('GET', path);
      expect([published.status, published.text]).toEqual([
        200,
        expect.stringContaining('will no longer receive news from this sender.'),
      ]);
    } finally {
      suite.line.fix();
    }
    expect((await post(path, 'confirmed=yes')).status).toBe(200);
    expect(left).toEqual([{ projectId, email }]);
  });
});

describe('one click (RFC 8058)', () => {
  it('answers 100 requests at once with few calls, and none with a failure', async () => {
    const { path } = await buildLink();
    const began = performance.now();
    const published = await Promise.all(
      Array.from({ length: 100 }, () => post(path, 'List-Unsubscribe=One-Click')),
    );
    expect(new Set(published.map(({ status, text }) => `${status}${text}`))).toEqual(new Set(['200']));
    // Sixty within a minute, then one a second.
    expect(left.length).toBeLessThan(69 + Math.ceil((performance.now() - began) / 1_000));
  });

  const multipart = [
    '--b',
    'Content-Disposition: form-data; name="List-Unsubscribe"',
    '',
    'One-Click',
    '--b--',
    '',
  ].join('\r\n');

  it.each([
    [form, 'List-Unsubscribe=One-Click'],
    ['multipart/form-data; boundary=b', multipart],
  ])('in %s is answered with an empty 200', async (type, body) => {
    const { path, projectId } = await buildLink();
    const published = await post(path, body, type);
    expect([published.status, published.text, published.headers.get('location')]).toEqual([200, '', null]);
    expect(left).toEqual([{ projectId, email }]);
  });

  it.each([
    ['', form, 422],
    ['List-Unsubscribe=No', form, 422],
    ['{}', 'application/json', 415],
    [`confirmed=yes&x=${'x'.repeat(17_000)}`, form, 413],
  ])('is not %j', async (body, type, status) => {
    const { path } = await buildLink();
    expect((await post(path, body, type)).status).toBe(status);
    expect(left).toEqual([]);
  });
});

describe('a link', () => {
  it('with a changed byte, another purpose or an unknown project is invalid, always with the same text', async () => {
    const location = { projectId: newId(), emailId: newId() };
    const { path } = await buildLink();
    const wrong = [
      path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A'),
      `/u/${tokens.forOpen({ ...location, position: 0 })}`,
      `/u/${tokens.forUnsubscribe({ ...location, email })}`,
      '/u/x',
    ];
    const published = await Promise.all(
      wrong.flatMap((each) => [suite.request('GET', each), post(each, 'confirmed=yes')]),
    );
    expect(new Set(published.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(published.map(({ text }) => text)).size).toBe(1);
    expect(left).toEqual([]);
  });

  it('is answered within two seconds while contacts takes every call and answers none, also where it waits for another request', async () => {
    const strict = await suite.startAnother({ ANSWER_WITHIN_MS: '2000' });
    await leave();
    const { nats } = suite.connection;
    let begun = Promise.withResolvers<void>();
    const silent = nats.subscribe(`call.${contacts.unsubscribe.subject}`, {
      callback: () => begun.resolve(),
    });
    await nats.flush();
    try {
      await expectWithin(2_000, async () => {
        const { path } = await buildLink();
        const ask = (body: string) =>
          suite.requestAt(strict, 'POST', path, { body, headers: { 'content-type': form } });
        begun = Promise.withResolvers();
        const first = ask('confirmed=yes');
        await begun.promise;
        const later = [ask('confirmed=yes'), ask('List-Unsubscribe=One-Click')];
        const published = await Promise.all([first, ...later]);
        for (const { status, headers } of published)
          expect([status, headers.get('retry-after')]).toEqual([503, '1']);
        return Math.max(...published.map(({ ms }) => ms));
      });
    } finally {
      silent.unsubscribe();
      await contactsCome();
    }
  });

  it('says that nothing was changed while contacts is unavailable, to people and to mail clients', async () => {
    const { path } = await buildLink('de');
    await leave();
    try {
      for (const body of ['confirmed=yes', 'List-Unsubscribe=One-Click']) {
        const published = await post(path, body);
        expect([published.status, published.headers.get('retry-after')]).toEqual([503, '1']);
        expect(published.text).toContain('Es hat sich nichts geändert.');
      }
    } finally {
      await contactsCome();
    }
  });
});

describe('the link of a mail to a list', () => {
  const listId = newId();
  const other = { id: newId(), name: 'Offers', status: 'CONFIRMED' as const, mayReturn: false };
  let state: Preferences;
  let changed: ChangePreference[] = [];
  let stop: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    changed = [];
    state = {
      subscribed: true,
      mayReturn: false,
      lists: [{ id: listId, name: 'News <i>', status: 'CONFIRMED', mayReturn: false }, other],
      topics: [],
      language: null,
    };
    stop = [
      await standIn(suite.connection, preferences.look, async () => state),
      await standIn(suite.connection, preferences.change, async (change) => {
        changed.push({ ...change });
        const list = state.lists.find(({ id }) => id === change.listId);
        if (change.subscribed && list?.mayReturn === false) throw mayNotReturn();
        if (list)
          Object.assign(list, {
            status: change.subscribed ? 'CONFIRMED' : 'UNSUBSCRIBED',
            mayReturn: !change.subscribed,
          });
        else if (change.listId === undefined) state.subscribed = change.subscribed;
        return { found: change.listId === undefined || list !== undefined };
      }),
    ];
  });
  afterEach(async () => {
    await Promise.all(stop.map((each) => each()));
  });

  const linkOf = async (list = listId) => {
    const { projectId } = await buildLink('en', 'Shop');
    return `/u/${tokens.forUnsubscribe({ projectId, emailId: newId(), email, listId: list })}`;
  };

  it('leaves that list by one click, and nothing else', async () => {
    const published = await post(await linkOf(), 'List-Unsubscribe=One-Click');
    expect([published.status, published.text, left]).toEqual([200, '', []]);
    expect(changed).toEqual([{ email, listId, subscribed: false, by: 'UNSUBSCRIBE_LINK' }]);
  });

  it('leaves everything where the list is gone', async () => {
    expect((await post(await linkOf(newId()), 'List-Unsubscribe=One-Click')).status).toBe(200);
    expect(left).toHaveLength(1);
  });

  it('shows what is so, offers everything, and has an undo', async () => {
    const path = await linkOf(listId);
    const text = async (body?: string) =>
      (await (body === undefined ? suite.request('GET', path) : post(path, body))).text;
    const first = await text();
    for (const part of [
      'News &lt;i&gt;',
      'Offers',
      'from Shop',
      'Leave this list',
      'Unsubscribe from everything',
    ])
      expect(first).toContain(part);
    expect(changed).toEqual([]);
    expect(await text(`do=leave&list=${listId}`)).toMatch(
      /You are unsubscribed[\s\S]*Your choice is saved\.[\s\S]*no longer on the list <strong>News &lt;i&gt;<\/strong>[\s\S]*Undo/,
    );
    expect(await text()).toContain('Undo');
    expect(await text(`do=join&list=${listId}`)).toContain('You are subscribed again');
    expect(await text('do=join&list=all')).toContain('Your choice is saved.');
    expect(changed.map(({ subscribed, listId: of }) => [subscribed, of])).toEqual([
      [false, listId],
      [true, listId],
      [true, undefined],
    ]);
    await text('do=leave&list=all');
    expect(left).toHaveLength(1);
    expect((await post(path, 'do=leave&list=x')).status).toBe(422);
  });

  it('says so where everything is left already', async () => {
    Object.assign(state, { subscribed: false, mayReturn: true });
    const { text } = await suite.request('GET', await linkOf());
    expect(text).toContain('<h1>You are unsubscribed</h1>');
    expect(text).toContain('Undo: subscribe again');
  });

  it('has no way back to what was not left on this page, and names the form of the sender', async () => {
    Object.assign(state, { subscribed: false });
    state.lists[0]!.status = 'UNSUBSCRIBED';
    const path = await linkOf();
    const { text } = await suite.request('GET', path);
    expect(text).not.toMatch(/value="join"|Undo/);
    expect(text).toContain('To subscribe again, please use the sign-up form of Shop.');
    const refused = await post(path, `do=join&list=${listId}`);
    expect([refused.status, state.lists[0]!.status]).toEqual([409, 'UNSUBSCRIBED']);
    expect(refused.text).not.toMatch(/subscribed again|is saved/);
  });
});

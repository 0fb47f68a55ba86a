import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { EngagementTokens } from '@posthorn/mail';
import {
  eventually,
  hasBrowser,
  openBrowser,
  openPage,
  press,
  testSecret,
  violationsOf,
} from '@posthorn/testing';
import PostalMime, { type Email } from 'postal-mime';
import { inboxMessages, rawMessage } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const inBrowser = hasBrowser ? it : it.skip;
const directory = makeDataDirectory();
const tokens = new EngagementTokens([testSecret]);
const reader = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
};
const url = 'https://shop.example/spring?a=1';

let posthorn: RunningPosthorn;
let base: string;
beforeAll(async () => {
  const port = await chooseQuietPort();
  base = `http://127.0.0.1:${port}`;
  posthorn = await RunningPosthorn.start(directory.path, {
    PORT: String(port),
    POSTHORN_SECRET_KEY: testSecret,
  });
});
afterAll(async () => {
  await posthorn.stop();
  directory.remove();
});

/** A delivered message and the tokens it contains. */
async function sent(to: string) {
  const { body } = await posthorn.post('/api/v1/emails', {
    to,
    subject: 'News',
    body: `<p><a href="${url}">Shop</a></p>`,
  });
  const emailId = body.id as string;
  await eventually(
    async () => (await posthorn.get(`/api/v1/emails/${emailId}`)).body.status === 'DELIVERED',
    'it is delivered',
  );
  const { projectId } = posthorn.dev;
  return {
    emailId,
    pixel: `${base}/t/o/${tokens.forOpen({ projectId, emailId, position: 0 })}.gif`,
    link: `${base}/t/c/${tokens.forClick({ projectId, emailId, position: 0, url })}`,
    wayOut: `${base}/u/${tokens.forUnsubscribe({ projectId, emailId, email: to })}`,
  };
}

const follow = (path: string) => fetch(path, { headers: reader, redirect: 'manual' });
const subscribed = async (id: string): Promise<boolean> =>
  (await posthorn.get(`/api/v1/contacts/${id}`)).body.subscribed as boolean;
const buildContact = async (email: string): Promise<string> =>
  (await posthorn.post('/api/v1/contacts', { email })).body.id as string;

describe('opens and clicks', () => {
  it('are counted by e-mail, link and day, without machines', async () => {
    const { emailId, pixel, link } = await sent('reader@example.com');
    expect((await fetch(pixel, { headers: { 'user-agent': 'curl/8.5.0' } })).status).toBe(200);
    const email = await eventually(async () => {
      // Requests within two seconds of the delivery come from scanners.
      const [picture, led] = await Promise.all([follow(pixel), follow(link)]);
      expect([picture.status, led.status, led.headers.get('location')]).toEqual([200, 302, url]);
      const { body } = await posthorn.get(`/api/v1/emails/${emailId}`);
      return body.opens > 0 && body.clicks > 0 ? body : null;
    }, 'both are counted');
    expect(email).toMatchObject({
      status: 'DELIVERED',
      opened_at: expect.any(String),
      clicked_at: expect.any(String),
    });
    const { body: links } = await posthorn.get(`/api/v1/emails/${emailId}/links`);
    expect(links).toEqual({ links: [{ url, clicks: expect.any(Number), unique_clicks: 1 }] });
    expect((await posthorn.get(`/api/emails/${emailId}/links`)).body.data.links[0]).toMatchObject({
      url,
      uniqueClicks: 1,
    });
    await eventually(async () => {
      const [day] = (await posthorn.get('/api/v1/analytics/timeseries')).body.data.slice(-1);
      return day.opens > 0 && day.clicks > 0;
    }, 'the day shows both');
  });

  it('do not redirect with a changed byte', async () => {
    const { link } = await sent('changed@example.com');
    const led = await follow(link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'));
    expect([led.status, led.headers.get('location')]).toEqual([404, null]);
  });
});

/** The message with this subject, parsed. */
const arrived = (subject: string): Promise<Email> =>
  eventually(async () => {
    const found = (await inboxMessages(posthorn)).find((message) => message.subject === subject);
    return found ? PostalMime.parse(await rawMessage(posthorn, found.id)) : null;
  }, `${subject} arrives`);
const headerOf = ({ headers }: Email, name: string): string | undefined =>
  headers.find(({ key }) => key === name)?.value;

describe('a sent message', () => {
  it('redirects its links to their targets, and has a pixel', async () => {
    await posthorn.post('/api/v1/emails', {
      to: 'real@example.com',
      subject: 'Really sent',
      body: `<p><a href="${url}">Shop</a></p>`,
    });
    const { html = '' } = await arrived('Really sent');
    const [, link] = /href="([^"]+\/t\/c\/[^"]+)"/.exec(html)!;
    const [, pixel] = /src="([^"]+\/t\/o\/[^"]+\.gif)"/.exec(html)!;
    expect((await follow(link!)).headers.get('location')).toBe(url);
    expect((await follow(pixel!)).headers.get('content-type')).toBe('image/gif');
  });

  it('can be unsubscribed from if it is marketing, which then stops', async () => {
    const to = 'marketing@example.com';
    const template = {
      name: 'News',
      subject: '{{ subject }}',
      body: '<p>News. <a href="{{ unsubscribe_url }}">Out</a></p>',
      email_category: 'MARKETING',
    };
    const { body: made } = await posthorn.post('/api/v1/templates', template);
    const send = async (subject: string): Promise<string> =>
      (await posthorn.post('/api/v1/emails', { to, template: made.id, data: { subject } })).body.id as string;
    await send('First news');
    const mail = await arrived('First news');
    const wayOut = /<(.+)>/.exec(headerOf(mail, 'list-unsubscribe')!)![1]!;
    expect([headerOf(mail, 'list-unsubscribe-post'), mail.html?.includes(`href="${wayOut}"`)]).toEqual([
      'List-Unsubscribe=One-Click',
      true,
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(
      (await fetch(wayOut, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' })).status,
    ).toBe(200);
    const id = await send('Second news');
    const { body: ended } = await eventually(async () => {
      const email = await posthorn.get(`/api/v1/emails/${id}`);
      return email.body.status === 'FAILED' ? email : null;
    }, 'it goes no further');
    expect(ended.failure_kind).toBe('unsubscribed');
    // Transactional mail is still sent.
    await sent(to);
  });
});

describe('unsubscribing', () => {
  inBrowser(
    'can be unsubscribed from by keyboard and without scripts, which the contact shows (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const email = 'page@example.com';
        const id = await buildContact(email);
        const { wayOut } = await sent(email);
        const page = await openPage(browser, { javaScriptEnabled: false });
        await page.goto(wayOut);
        expect([await page.textContent('h1'), await subscribed(id)]).toEqual(['Unsubscribe?', true]);
        await page.getByRole('button', { name: 'Unsubscribe' }).click();
        expect([await page.textContent('h1'), await subscribed(id)]).toEqual(['You are unsubscribed', false]);
        const checked = await openPage(browser);
        await checked.goto((await sent('keyboard@example.com')).wayOut);
        expect(await violationsOf(checked)).toEqual([]);
        await press(checked, 'Unsubscribe');
        expect(await violationsOf(checked)).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  it('can be unsubscribed from with one click of a mail client', async () => {
    const email = 'click@example.com';
    const id = await buildContact(email);
    const { wayOut } = await sent(email);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(wayOut, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' });
    expect([answer.status, await answer.text(), await subscribed(id)]).toEqual([200, '', false]);
  });

  it('has pages in the language of the project', async () => {
    const { wayOut } = await sent('sprache@example.com');
    const changed = await posthorn.request('PATCH', `/api/v1/projects/${posthorn.dev.projectId}`, {
      language: 'de',
    });
    expect(changed.status).toBe(200);
    expect(await (await fetch(wayOut)).text()).toContain('<html lang="de">');
  });
});

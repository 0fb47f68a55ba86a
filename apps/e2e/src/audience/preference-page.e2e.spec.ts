import { describe, expect, it } from '@jest/globals';
import { eventually, hasBrowser, openBrowser, openPage, press, violationsOf } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const suite = withPosthorn();
const inBrowser = hasBrowser ? it : it.skip;
const done = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const { status, text, body: answer } = await suite.posthorn.request(method, `/api/v1/${path}`, body);
  if (status >= 300) throw new Error(text);
  return answer;
};

/** The link that a campaign's mail has for its reader. */
async function manageUrlOf(email: string, language?: string) {
  const { id } = await done('contacts', { email, ...(language ? { custom_fields: { language } } : {}) });
  const segment = await done('segments', { name: email, type: 'STATIC' });
  await done(`segments/${segment.id}/members`, { emails: [email] });
  const campaign = await done('campaigns', {
    name: 'Spring',
    subject: `For ${email}`,
    body: '<p><a href="{{ manage_url }}">What I get</a></p>',
    from: 'news@example.test',
    audience_type: 'SEGMENT',
    segment_id: segment.id,
  });
  await done(`campaigns/${campaign.id}/send`, {});
  const message = await eventually(
    async () => (await inboxMessages(suite.posthorn)).find(({ subject }) => subject === `For ${email}`),
    'it arrives',
  );
  const raw = (await rawMessage(suite.posthorn, message.id)).replace(/=\r\n/g, '').replaceAll('=3D', '=');
  const { pathname } = new URL(/href="(http[^"]+\/p\/[^"]+)"/.exec(raw)![1]!);
  return { id: id as string, url: suite.posthorn.dev.baseUrl + pathname };
}
const topicsOf = async (id: string) =>
  (await done(`contacts/${id}/topics`)).data.map(
    ({ key, opted_in, source }: { key: string; opted_in: boolean; source: string }) =>
      `${key} ${opted_in} ${source}`,
  );

describe('the page to which manage_url leads', () => {
  inBrowser(
    'works by keyboard, without scripts, in any colour scheme and on a phone (needs: apt-get install chromium)',
    async () => {
      await done('topics', {
        key: 'news',
        name: 'Product news',
        description: 'What is new in the shop, once a month',
      });
      await done('topics', { key: 'offers', name: 'Special offers', default_opt_in: false });
      const list = await done('lists', { name: 'Readers of the blog' });
      const reader = await manageUrlOf('reader@example.org');
      await done(`lists/${list.id}/subscribe`, { email: 'reader@example.org' });
      const browser = await openBrowser();
      try {
        const page = await openPage(browser, { javaScriptEnabled: false });
        await page.goto(reader.url);
        expect([await page.textContent('h1'), await page.textContent('header')]).toEqual([
          'What you receive',
          'Demo',
        ]);
        const button = (name: string) => page.getByRole('button', { name, exact: true });
        await button('Unsubscribe Product news').click();
        expect(await topicsOf(reader.id)).toEqual(['news false PREFERENCE_PAGE', 'offers false DEFAULT']);
        await button('Undo').click();
        await button('Subscribe Special offers').click();
        expect(await topicsOf(reader.id)).toEqual([
          'news true PREFERENCE_PAGE',
          'offers true PREFERENCE_PAGE',
        ]);
        await button('Unsubscribe Readers of the blog').click();
        await button('Undo').click();
        expect((await done(`lists/${list.id}`)).member_count).toBe(1);
        await button('Unsubscribe from everything').click();
        expect((await done(`contacts/${reader.id}`)).subscribed).toBe(false);
        await page.goto(reader.url);
        expect(await page.textContent('main')).toContain('is unsubscribed from everything');
        await button('Subscribe').click();
        expect((await done(`contacts/${reader.id}`)).subscribed).toBe(true);

        for (const colorScheme of ['light', 'dark'] as const) {
          const checked = await openPage(browser, { colorScheme, viewport: { width: 320, height: 640 } });
          await checked.goto(reader.url);
          expect(await violationsOf(checked)).toEqual([]);
          await press(checked, 'Unsubscribe Special offers');
          expect(await violationsOf(checked)).toEqual([]);
          expect(await checked.evaluate('document.documentElement.scrollWidth')).toBe(320);
          await press(checked, 'Undo');
        }
        const german = await openPage(browser, { javaScriptEnabled: false });
        await german.goto((await manageUrlOf('leser@example.org', 'de-DE')).url);
        expect(await german.getAttribute('html', 'lang')).toBe('de');
        await german.getByRole('button', { name: 'Abbestellen Product news', exact: true }).click();
        expect(await german.textContent('[role=status]')).toContain('Ihre Auswahl ist gespeichert.');
      } finally {
        await browser.close();
      }
    },
  );
});

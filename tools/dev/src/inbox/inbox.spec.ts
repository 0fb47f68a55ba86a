import { afterAll, describe, expect, it } from '@jest/globals';
import { hasBrowser, openBrowser, openPage } from '@posthorn/testing';
import { createTransport } from 'nodemailer';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInbox } from './inbox.js';
import type { MessageSummary } from './message-store.js';
import type { MessageView } from './message-view.js';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-inbox-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const letter = {
  from: 'Ada Lovelace <ada@example.test>',
  to: 'bob@example.test',
  subject: 'Grüße & <b>news</b>',
  text: 'Hello Bob',
  html: '<!doctype html><h1>Hello Bob</h1><script>document.title="owned"</script><img src="cid:dot"><a href="https://example.test/x">open</a>',
  attachments: [{ filename: 'dot.gif', content: pixel, cid: 'dot' }],
};

async function send(smtpUrl: string, mail: object = letter): Promise<string> {
  const transport = createTransport(smtpUrl);
  const { response } = await transport.sendMail(mail);
  transport.close();
  return response;
}

interface Page {
  messages: MessageSummary[];
  total: number;
  after: string;
}

async function json<T>(url: string, init?: RequestInit): Promise<T> {
  return (await fetch(url, init)).json() as Promise<T>;
}

describe('the development inbox', () => {
  it('stores a message before it says 250, and shows it parsed, raw and after a restart', async () => {
    const first = await startInbox({ directory: join(folder, 'kept') });
    expect(await send(first.smtpUrl)).toMatch(/^250/);
    expect(readdirSync(join(folder, 'kept/messages'))).toHaveLength(1);
    await first.stop();

    const inbox = await startInbox({ directory: join(folder, 'kept') });
    const { messages, total } = await json<Page>(`${inbox.url}/api/messages?to=BOB@example.test`);
    expect({ total, count: inbox.count() }).toEqual({ total: 1, count: 1 });
    expect(messages[0]).toMatchObject({
      from: 'Ada Lovelace',
      subject: letter.subject,
      envelope: { from: 'ada@example.test', to: ['bob@example.test'] },
    });
    const message = await json<MessageView>(`${inbox.url}/api/messages/${messages[0].id}`);
    expect(message).toMatchObject({
      to: ['bob@example.test'],
      text: 'Hello Bob\n',
      attachments: [{ filename: 'dot.gif', size: pixel.length }],
    });
    expect(await (await fetch(`${inbox.url}/api/messages/${messages[0].id}/raw`)).text()).toContain(
      'Content-Type: multipart/',
    );
    await fetch(`${inbox.url}/api/messages`, { method: 'DELETE' });
    expect(readdirSync(join(folder, 'kept/messages'))).toEqual([]);
    await inbox.stop();
  });

  it('serves the HTML of a message without scripts', async () => {
    const inbox = await startInbox({ directory: join(folder, 'sandbox') });
    await send(inbox.smtpUrl);
    const { messages } = await json<Page>(`${inbox.url}/api/messages`);
    const response = await fetch(`${inbox.url}/api/messages/${messages[0].id}/html`);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(
      "default-src 'none'; img-src data: https: http:; style-src 'unsafe-inline'; sandbox",
    );
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
    expect(await response.text()).toContain(`src="data:image/gif;base64,${pixel.toString('base64')}"`);
    expect((await fetch(inbox.url)).headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    await inbox.stop();
  });

  it('pushes a new message to whoever follows', async () => {
    const inbox = await startInbox({ directory: join(folder, 'stream') });
    const { body } = await fetch(`${inbox.url}/api/stream`);
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    await send(inbox.smtpUrl);
    let received = '';
    while (!received.includes('event: message')) received += (await reader.read()).value ?? '';
    expect(received).toContain('"to":["bob@example.test"]');
    await inbox.stop();
  });

  it('keeps only the newest, and pages from new to old', async () => {
    const inbox = await startInbox({ directory: join(folder, 'full'), capacity: 3 });
    for (const subject of ['1', '2', '3', '4', '5']) await send(inbox.smtpUrl, { ...letter, subject });
    const first = await json<Page>(`${inbox.url}/api/messages?limit=2`);
    const second = await json<Page>(`${inbox.url}/api/messages?limit=2&after=${first.after}`);
    expect([...first.messages, ...second.messages].map(({ subject }) => subject)).toEqual(['5', '4', '3']);
    expect(second.after).toBeNull();
    expect(readdirSync(join(folder, 'full/messages'))).toHaveLength(3);
    await inbox.stop();
  });

  it('refuses a message over 30 MiB and keeps nothing of it', async () => {
    const inbox = await startInbox({ directory: join(folder, 'large') });
    await expect(
      send(inbox.smtpUrl, { ...letter, attachments: [{ content: Buffer.alloc(23 * 1024 * 1024) }] }),
    ).rejects.toThrow(/552/);
    expect(readdirSync(join(folder, 'large/messages'))).toEqual([]);
    await inbox.stop();
  });

  const inBrowser = hasBrowser ? it : it.skip;
  inBrowser(
    'shows a mail in the page without a reload, and runs none of its scripts (needs: apt-get install chromium)',
    async () => {
      const inbox = await startInbox({ directory: join(folder, 'page') });
      const browser = await openBrowser();
      try {
        const page = await openPage(browser);
        const complaints: string[] = [];
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(inbox.url);
        await page.getByText('live', { exact: true }).waitFor();
        await send(inbox.smtpUrl);
        await page.getByRole('option').first().waitFor();
        await page.keyboard.press('j');
        await page.keyboard.press('Enter');
        await page.frameLocator('#frame').getByRole('heading', { name: 'Hello Bob' }).waitFor();
        expect(await page.locator('#subject').textContent()).toBe(letter.subject);
        await page.getByRole('tab', { name: 'Text' }).click();
        expect(await page.locator('#view-text').textContent()).toContain('Hello Bob');
        expect(await page.title()).toBe('(1) Posthorn inbox');
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
        await inbox.stop();
      }
    },
  );
});

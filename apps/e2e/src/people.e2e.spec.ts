import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually, hasBrowser, openBrowser, press, typeForm, violationsOf } from '@posthorn/testing';
import { inboxMessages } from './testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from './testing/running-posthorn.js';

const inBrowser = hasBrowser ? it : it.skip;
const directory = makeDataDirectory();
let posthorn: RunningPosthorn;
let base: string;
beforeAll(async () => {
  const port = await chooseQuietPort();
  base = `http://localhost:${port}`;
  posthorn = await RunningPosthorn.start(directory.path, { PORT: String(port) });
});
afterAll(async () => {
  await posthorn.stop();
  directory.remove();
});

/** The link of the newest mail of this subject, as the development inbox shows it. */
function linkOf(subject: string, to: string): Promise<string> {
  return eventually(async () => {
    const found = (await inboxMessages(posthorn)).find((mail) => mail.subject === subject && mail.envelope.to.includes(to));
    if (!found) return null;
    const { text } = (await (await fetch(`${posthorn.dev.inboxUrl}/api/messages/${found.id}`)).json()) as { text: string };
    return /http\S+/.exec(text)![0];
  }, `${subject} arrives`);
}

describe('people', () => {
  it('have a demo user who owns the demo project', async () => {
    const { user, projectId } = posthorn.dev;
    const signedIn = await fetch(`${posthorn.dev.baseUrl}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const contacts = await fetch(`${posthorn.dev.baseUrl}/api/v1/contacts`, { headers: { cookie, 'x-project-id': projectId } });
    expect(contacts.status).toBe(200);
    expect(posthorn.output).toContain(`/sign-in as ${user.email} with ${user.password}`);
  });

  inBrowser(
    'sign up, find the mail in the inbox, confirm, sign in, and choose a new password (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const email = 'newcomer@example.com';
        await page.goto(`${base}/sign-up`);
        await typeForm(page, { Name: 'Ada', 'E-mail address': email, Password: 'correct horse battery' });
        await page.goto(await linkOf('Confirm your address', email));
        expect(await violationsOf(page)).toEqual([]);
        await press(page, 'Confirm this address');
        await typeForm(page, { 'E-mail address': email, Password: 'correct horse battery' });
        expect(new URL(page.url()).pathname).toBe('/account');
        await page.goto(`${base}/forgot-password`);
        await typeForm(page, { 'E-mail address': email });
        await page.goto(await linkOf('Choose a new password', email));
        await typeForm(page, { 'New password': 'another horse' });
        await typeForm(page, { 'E-mail address': email, Password: 'another horse' });
        expect(new URL(page.url()).pathname).toBe('/account');
      } finally {
        await browser.close();
      }
    },
  );
});

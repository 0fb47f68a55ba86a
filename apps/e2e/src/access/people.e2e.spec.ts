import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import {
  eventually,
  hasBrowser,
  openBrowser,
  openPage,
  press,
  typeForm,
  violationsOf,
} from '@posthorn/testing';
import { inboxMessages } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const inBrowser = hasBrowser ? it : it.skip;
const directory = makeDataDirectory();
let posthorn: RunningPosthorn;
let base: string;
beforeAll(async () => {
  const port = await chooseQuietPort();
  base = `http://127.0.0.1:${port}`;
  posthorn = await RunningPosthorn.start(directory.path, {
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(async () => {
  await posthorn.stop();
  directory.remove();
});

/** The link of the newest mail with this subject in the development inbox. */
function linkOf(subject: string, to: string): Promise<string> {
  return eventually(async () => {
    const found = (await inboxMessages(posthorn)).find(
      (mail) => mail.subject === subject && mail.envelope.to.includes(to),
    );
    if (!found) return null;
    const { text } = (await (await fetch(`${posthorn.dev.inboxUrl}/api/messages/${found.id}`)).json()) as {
      text: string;
    };
    return /http\S+/.exec(text)![0];
  }, `${subject} arrives`);
}

/** Runs a command like at a prompt, with input on stdin. */
function operator(texts: string[], typed = ''): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, POSTHORN_DATA_DIR: directory.path };
  return spawnSync(process.execPath, ['dist/tools/operator/src/main.js', ...texts], {
    env,
    input: typed,
    encoding: 'utf8',
  });
}

let positions = 0;

/** Uses its own address, because attempts are limited by address. */
async function signIn(user: { email: string; password: string }): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `10.0.0.${(positions += 1)}` };
  return fetch(`${posthorn.dev.baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify(user),
  });
}

describe('people', () => {
  it('include a demo user who owns the demo project', async () => {
    const { user, projectId } = posthorn.dev;
    const signedIn = await signIn(user);
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const contacts = await fetch(`${posthorn.dev.baseUrl}/api/v1/contacts`, {
      headers: { cookie, 'x-project-id': projectId },
    });
    expect(contacts.status).toBe(200);
    expect(posthorn.output).toContain(`/sign-in as ${user.email} with ${user.password}`);
  });

  it('find everything at the one address that is printed', async () => {
    expect(posthorn.output).toContain(`  API         ${base}\n`);
    expect(posthorn.output).toContain(`  Sign in     ${base}/sign-in as `);
    expect(posthorn.dev.baseUrl).toBe(base);
    expect((await posthorn.get('/api/v1/emails/unknown')).body.type).toMatch(
      new RegExp(`^${base}/docs/errors#`),
    );
    const other = base.replace('127.0.0.1', 'localhost');
    const page = await fetch(`${other}/sign-in`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([302, `${base}/sign-in`]);
  });

  it('are created by the operator, with a password that is generated or entered', async () => {
    const made = operator(['users', 'create', '--email', 'first@example.com', '--verified']);
    expect(made.status).toBe(0);
    const { email, password } = JSON.parse(made.stdout) as { email: string; password: string };
    expect((await signIn({ email, password })).status).toBe(200);
    const texts = [
      'users',
      'create',
      '--email',
      'second@example.com',
      '--name',
      'Second',
      '--password-stdin',
    ];
    expect(JSON.parse(operator(texts, 'correct horse battery\n').stdout)).toMatchObject({
      name: 'Second',
      verified: false,
      password: null,
    });
    expect((await signIn({ email: 'second@example.com', password: 'correct horse battery' })).status).toBe(
      403,
    );
    expect(operator(texts, 'correct horse battery\n')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('conflict'),
    });
    expect(
      operator(['users', 'create', '--email', 'third@example.com', '--password-stdin'], 'short\n').status,
    ).toBe(1);
  });

  inBrowser(
    'sign up, open the mail in the inbox, confirm, sign in, and reset the password (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await openPage(browser);
        const email = 'newcomer@example.com';
        await page.goto(`${base}/sign-up`);
        await typeForm(page, { Name: 'Ada', 'E-mail address': email, Password: 'correct horse battery' });
        await page.goto(await linkOf('Confirm your address', email));
        expect(await violationsOf(page)).toEqual([]);
        await press(page, 'Confirm address');
        await typeForm(page, { 'E-mail address': email, Password: 'correct horse battery' });
        expect(new URL(page.url()).pathname).toBe('/account');
        await page.goto(`${base}/forgot-password`);
        await typeForm(page, { 'E-mail address': email });
        await page.goto(await linkOf('Set a new password', email));
        await typeForm(page, { 'New password': 'another horse' });
        await typeForm(page, { 'E-mail address': email, Password: 'another horse' });
        expect(new URL(page.url()).pathname).toBe('/account');
      } finally {
        await browser.close();
      }
    },
  );
});

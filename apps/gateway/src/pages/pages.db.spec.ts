import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import type { Page } from 'playwright-core';
import {
  hasBrowser,
  openBrowser,
  openPage,
  press,
  typeForm,
  violationsOf,
  type TestBrowser,
} from '@posthorn/testing';
import { codeNow } from '../testing/authenticator.js';
import { join } from '../testing/people.js';
import { password, startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

// `POSTHORN_SCREENSHOTS=docs/pages npm test -- --selectProjects db --testPathPatterns pages.db` takes new
// screenshots.
const screenshots = process.env['POSTHORN_SCREENSHOTS'];
const inBrowser = hasBrowser ? it : it.skip;

let suite: PeopleSuite;
let base: string;
beforeAll(async () => {
  const port = await chooseQuietPort();
  base = `http://localhost:${port}`;
  suite = await startPeopleSuite(
    { PORT: String(port), PUBLIC_URL: base, ANSWER_WITHIN_MS: '8000' },
    { breakable: true },
  );
});
afterAll(() => suite.stop());

const pathsOf = (text: string) => new URL(/http\S+/.exec(text)![0]);
const mailedLink = async (email: string) => pathsOf((await suite.mailsTo(email)).at(-1)!.text).href;

/** A tab that fails on every browser warning. */
async function openTab(browser: TestBrowser, scheme: 'light' | 'dark' = 'light', javaScriptEnabled = true) {
  const page = await openPage(browser, {
    colorScheme: scheme,
    javaScriptEnabled,
    extraHTTPHeaders: { 'x-forwarded-for': suite.visitor().address },
  });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on(
    'console',
    (message) => /Content.Security|Refused/i.test(message.text()) && complaints.push(message.text()),
  );
  return { page, complaints };
}

async function looksGood(page: Page, name: string): Promise<void> {
  expect([name, await violationsOf(page)]).toEqual([name, []]);
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true });
}

describe('in a browser, by keyboard', () => {
  inBrowser('everything works without scripts (needs: apt-get install chromium)', async () => {
    const browser = await openBrowser();
    try {
      const { page } = await openTab(browser, 'light', false);
      const email = 'plain@example.com';
      await suite.buildPerson(email);
      await page.goto(`${base}/account`);
      for (const [label, value] of Object.entries({ 'E-mail address': email, Password: password }))
        await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.title()).toBe('Your account · Posthorn');
      await page.getByRole('link', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect(new URL(page.url()).pathname).toBe('/sign-in');
    } finally {
      await browser.close();
    }
  });

  inBrowser(
    'a person follows an invitation, signs in, accepts, and then finds the link used (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const { page } = await openTab(browser);
        const [owner, { projectId }] = [
          await suite.buildPerson('inviter@example.com'),
          await suite.buildProject(),
        ];
        const [row] = await suite.database.query<{ id: string }>(
          `SELECT id FROM auth_users WHERE email = 'inviter@example.com'`,
        );
        await join(suite.database, projectId, { userId: row!.id }, 'OWNER');
        const email = 'invited@example.com';
        await suite.buildPerson(email);
        expect(
          (await owner.post(`/api/v1/projects/${projectId}/members`, { email, role: 'MEMBER' })).status,
        ).toBe(201);
        const link = await mailedLink(email);
        await page.goto(link);
        await typeForm(page, { 'E-mail address': email, Password: password });
        await looksGood(page, 'invitation');
        await press(page, 'Accept');
        expect(await page.textContent('h1')).toBe('Welcome to the project');
        await looksGood(page, 'invitation-accepted');
        await page.goto(link);
        await press(page, 'Accept');
        expect(await page.textContent('h1')).toBe('This invitation is not valid');
        await looksGood(page, 'invitation-used');
        await page.goto(`${base}/oauth/error?error=invalid_redirect`);
        await looksGood(page, 'oauth-error');
      } finally {
        await browser.close();
      }
    },
  );

  inBrowser(
    'a person signs up, confirms, signs in, and resets the password (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const { page, complaints } = await openTab(browser);
        const email = 'keyboard@example.com';
        await page.goto(`${base}/sign-in`);
        await looksGood(page, 'sign-in');
        await press(page, 'Sign up');
        await looksGood(page, 'sign-up');
        await typeForm(page, { Name: 'Ada <b>', 'E-mail address': email, Password: password });
        expect(await page.title()).toBe('Check your inbox · Posthorn');
        await looksGood(page, 'mail-sent');
        await page.goto(await mailedLink(email));
        await looksGood(page, 'confirm');
        await press(page, 'Confirm address');
        expect(await page.getByRole('status').textContent()).toContain('Your address is confirmed');
        await typeForm(page, { 'E-mail address': email, Password: 'wrong horse battery' });
        expect(await page.getByRole('alert').textContent()).toBe(
          'The e-mail address or password is incorrect.',
        );
        await looksGood(page, 'sign-in-refused');
        await typeForm(page, { Password: password });
        expect([new URL(page.url()).pathname, await page.title()]).toEqual([
          '/account',
          'Your account · Posthorn',
        ]);
        expect(await page.getByText('Ada <b> · keyboard@example.com').count()).toBe(1);
        await looksGood(page, 'account');
        await press(page, 'Sign out');
        await looksGood(page, 'sign-out');
        await press(page, 'Sign out');
        await press(page, 'Forgot your password?');
        await looksGood(page, 'forgot-password');
        await typeForm(page, { 'E-mail address': email });
        await page.goto(await mailedLink(email));
        await looksGood(page, 'reset-password');
        await typeForm(page, { 'New password': 'another horse' });
        await typeForm(page, { 'E-mail address': email, Password: 'another horse' });
        expect(new URL(page.url()).pathname).toBe('/account');
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  inBrowser(
    'a person turns on two-factor authentication and then needs a code (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        const { page, complaints } = await openTab(browser, 'dark');
        const email = 'careful@example.com';
        await suite.buildPerson(email);
        await page.goto(`${base}/account`);
        await typeForm(page, { 'E-mail address': email, Password: password });
        await looksGood(page, 'account-dark');
        await press(page, 'Turn on two-factor authentication');
        await looksGood(page, 'second-factor');
        await typeForm(page, { Password: password });
        await looksGood(page, 'second-factor-key');
        const [backup] = await page.locator('.codes code').allTextContents();
        await typeForm(page, {
          'Current code from the app': codeNow((await page.locator('#key').textContent())!),
        });
        expect(await page.title()).toBe('Two-factor authentication is on · Posthorn');
        const { page: other } = await openTab(browser, 'dark');
        await other.goto(`${base}/sign-in`);
        await typeForm(other, { 'E-mail address': email, Password: password });
        expect(new URL(other.url()).pathname).toBe('/sign-in/code');
        await looksGood(other, 'sign-in-code');
        await typeForm(other, { Code: '000000' });
        expect(await other.getByRole('alert').textContent()).toBe('The code is incorrect or has expired.');
        await typeForm(other, { Code: backup! });
        expect(new URL(other.url()).pathname).toBe('/account');
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});

describe('a page', () => {
  it('runs no script and loads only its own stylesheet, which is cached for ever', async () => {
    const { headers, text } = await suite.visitor().get('/sign-in');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|script-src/);
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(text).not.toMatch(/<script|<style|style=|\son\w+=/);
    const style = await suite.visitor().get(/href="(\/pages\/[^"]+)"/.exec(text)![1]!);
    expect([style.status, style.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
  });

  it('accepts forms from its own origin only', async () => {
    for (const origin of ['https://evil.example', 'null', ''])
      expect(
        (await suite.visitor().submit('/sign-in', { email: 'a@b.example', password }, { origin })).status,
      ).toBe(403);
  });

  it('never redirects to another host', async () => {
    const person = await suite.buildPerson('led@example.com');
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
    ]) {
      const published = await person.get(`/sign-in?next=${encodeURIComponent(next)}`);
      expect([next, published.status, published.headers.get('location')]).toEqual([next, 303, '/account']);
    }
    expect((await person.get('/sign-in?next=/account/second-factor')).headers.get('location')).toBe(
      '/account/second-factor',
    );
  });

  it('answers invalid forms, NUL and foreign links with an error page, never 500', async () => {
    const visitor = suite.visitor();
    const published = [
      await visitor.request('POST', '/sign-in', { body: '{}' }),
      await visitor.submit('/sign-in', { email: 'a\u0000b', password }),
      await visitor.submit('/reset-password', { token: 'x', password }),
      await visitor.submit('/reset-password', { token: '', password }),
      await visitor.submit('/verify-email', { token: 'x' }),
      await visitor.get('/verify-email?token=%00'),
      await visitor.submit('/sign-up', { name: 'x'.repeat(17_000) }),
      await visitor.submit('/sign-in/code', { code: '1' }),
    ];
    expect(published.map(({ status }) => status)).toEqual([415, 422, 400, 400, 401, 422, 413, 401]);
    for (const { headers: given } of published)
      expect(given.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('reports that it is unavailable during a database outage', async () => {
    suite.line.cut();
    try {
      const page = await suite.visitor().submit('/sign-in', { email: 'a@b.example', password });
      expect([page.status, page.text]).toEqual([503, expect.stringContaining('Temporarily unavailable')]);
      const api = await suite.visitor().post('/api/auth/sign-in/email', { email: 'a@b.example', password });
      expect(api.status).toBe(503);
    } finally {
      suite.line.fix();
    }
  });
});

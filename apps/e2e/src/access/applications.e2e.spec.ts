import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import {
  choose,
  hasBrowser,
  openBrowser,
  openPage,
  press,
  typeForm,
  violationsOf,
  type TestBrowser,
} from '@posthorn/testing';
import * as oauth from 'oauth4webapi';
import type { Page } from 'playwright-core';
import { looksSecret } from '../testing/leaks.js';
import { sessionTokenIn } from '../testing/people.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const inBrowser = hasBrowser ? it : it.skip;
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const directory = makeDataDirectory();
let posthorn: RunningPosthorn;
let base: string;
let browser: TestBrowser;
let page: Page;
/** The redirect URI of the application. */
let device: Server;
let callback: string;
let led: (url: URL) => void;

beforeAll(async () => {
  const port = await chooseQuietPort();
  base = `http://127.0.0.1:${port}`;
  posthorn = await RunningPosthorn.start(directory.path, { PORT: String(port) });
  device = createServer((request, response) => {
    led(new URL(request.url!, callback));
    response.end('Back in the application.');
  }).listen(0, '127.0.0.1');
  await once(device, 'listening');
  callback = `http://127.0.0.1:${(device.address() as AddressInfo).port}/callback`;
  if (!hasBrowser) return;
  browser = await openBrowser();
  page = await openPage(browser, { viewport: { width: 900, height: 1000 } });
});
afterAll(async () => {
  await browser?.close();
  await posthorn.stop();
  device.close();
  directory.remove();
});

/** Checked by axe, and saved for the documentation on request. */
async function look(name: string): Promise<void> {
  expect([name, await violationsOf(page)]).toEqual([name, []]);
  if (!process.env['POSTHORN_RECORD_SCREENSHOTS']) return;
  mkdirSync('docs/pages', { recursive: true });
  const { y, height } = (await page.locator('main').boundingBox())!;
  await page.screenshot({
    path: `docs/pages/${name}.png`,
    clip: { x: 0, y: 0, width: 900, height: y + height + 40 },
  });
}

async function authorize(): Promise<oauth.TokenEndpointResponse> {
  const issuer = new URL(`${base}/api/auth`);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
  );
  const metadata = { client_name: 'Notebook', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
  const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const requested = new URL(server.authorization_endpoint!);
  requested.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callback,
    state,
    scope: 'contacts:read contacts:write lists:read emails:send api-keys:read offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const back = new Promise<URL>((resolve) => (led = resolve));
  await page.goto(requested.href);
  await signIn();
  await look('oauth-consent');
  await choose(page, 'Project', 'Demo (owner)');
  await press(page, 'Allow');
  const parameters = oauth.validateAuthResponse(server, client, await back, state);
  posthorn.keepSecret(parameters.get('code')!);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    callback,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function signIn(): Promise<void> {
  const { email, password } = posthorn.dev.user;
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await look('sign-in');
  await typeForm(page, { 'E-mail address': email, Password: password });
  for (const { name, value } of await page.context().cookies())
    posthorn.keepSecret(sessionTokenIn(`${name}=${value}`));
}

describe("an application on a user's device", () => {
  inBrowser(
    'gets access by keyboard, acts with its token, and is revoked in the account (needs: apt-get install chromium)',
    async () => {
      const tokens = await authorize();
      const authorization = `Bearer ${tokens.access_token}`;
      const made = await posthorn.post('/api/v1/contacts', { email: 'ada@example.com' }, { authorization });
      expect([made.status, (await posthorn.get('/api/v1/contacts', { authorization })).status]).toEqual([
        201, 200,
      ]);
      expect((await posthorn.get('/api/v1/campaigns', { authorization })).status).toBe(403);
      await page.goto(`${base}/account/applications`);
      await look('applications');
      await press(page, 'Revoke access');
      expect(await page.textContent('main')).toContain('No application has access to your account');
    },
  );

  inBrowser(
    'the secret of a new key is revealed once, after signing in (needs: apt-get install chromium)',
    async () => {
      const { projectId } = posthorn.dev;
      const made = await posthorn.post(`/api/v1/projects/${projectId}/api-keys`, { name: 'For the shop' });
      const link = new URL(made.body.reveal_url as string);
      await page.context().clearCookies();
      await page.goto(base + link.pathname + link.search);
      await signIn();
      await look('reveal-ask');
      await press(page, 'Show the key');
      expect(looksSecret((await page.textContent('main'))!)).toBe(true);
      await look('reveal-shown');
      await page.goto(base + link.pathname + link.search);
      expect(await page.textContent('h1')).toBe('This link is no longer valid');
    },
  );
});

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let port: number;
beforeAll(async () => {
  port = await chooseQuietPort();
  suite = await startGatewaySuite({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` });
});
afterAll(() => suite.stop());

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';

/** `fetch` sets the host itself. */
const open = (path: string, host: string, { accept = browser, method = 'GET' } = {}) =>
  new Promise<{ status?: number; location?: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host, accept } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    });
    sent.on('error', reject).end();
  });

describe('a page that is opened by another name of this machine', () => {
  it.each(['localhost', '[::1]'])('is redirected to the host of PUBLIC_URL: %s', async (name) => {
    for (const path of ['/sign-in?next=%2Faccount', '/docs', '/no-such-page', '//elsewhere.test/'])
      expect(await open(path, `${name}:${port}`)).toEqual({
        status: 302,
        location: `http://127.0.0.1:${port}${path}`,
      });
  });

  it('is served under the host of PUBLIC_URL, and through a name or port that is not ours', async () => {
    for (const host of [`127.0.0.1:${port}`, `mail.example.com:${port}`, 'localhost', 'localhost:1', ''])
      expect(await open('/sign-in', host)).toEqual({ status: 200 });
  });

  it('is served where no browser asks for a page, and where something is sent', async () => {
    const host = `localhost:${port}`;
    expect(await open('/openapi.json', host, { accept: '*/*' })).toEqual({ status: 200 });
    expect((await open('/sign-in', host, { method: 'POST' })).status).toBe(403);
  });
});

it('a gateway with a public name redirects nobody', async () => {
  const other = await startGatewaySuite({ PUBLIC_URL: 'https://mail.example.com' });
  const response = await fetch(`${other.gateway.url}/sign-in`, { headers: { accept: browser } });
  expect(response.status).toBe(200);
  await other.stop();
});

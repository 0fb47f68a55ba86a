import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectNothingStored,
  expectRefusal,
  prefixes,
  surfaces,
  withPosthorn,
} from '../testing/bad-input.js';
import { rawRequest } from '../testing/raw-request.js';

const suite = withPosthorn();
const noCredential = {
  status: 401,
  code: 'invalid_api_key',
  detail: 'The API key is missing, malformed, unknown or revoked',
};
const notForPublic = {
  status: 403,
  code: 'scope_missing',
  detail: 'A public key may not call this operation',
};
const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };

/** Changes a character: still in the alphabet, but the checksum is wrong. */
const typo = (token: string) => `${token.slice(0, -2)}${token.at(-2) === 'a' ? 'b' : 'a'}${token.at(-1)}`;

const credentials: [string, (token: string) => Record<string, string>][] = [
  ['none', () => ({ authorization: '' })],
  ['Basic', (token) => ({ authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` })],
  ['Basic with the key as it stands', (token) => ({ authorization: `Basic ${token}` })],
  ['only the key', (token) => ({ authorization: token })],
  ['only the scheme', () => ({ authorization: 'Bearer ' })],
  ['the key twice', (token) => ({ authorization: `Bearer ${token} ${token}` })],
  ['two schemes in one header', (token) => ({ authorization: `Basic x, Bearer ${token}` })],
  ['a key in quotes', (token) => ({ authorization: `Bearer "${token}"` })],
  ['a typo', (token) => ({ authorization: `Bearer ${typo(token)}` })],
  ['a truncated key', (token) => ({ authorization: `Bearer ${token.slice(0, -1)}` })],
  ['a key that is too long', (token) => ({ authorization: `Bearer ${token}0` })],
  ['a key in the wrong case', (token) => ({ authorization: `Bearer ${token.toUpperCase()}` })],
  ['a key with another prefix', (token) => ({ authorization: `Bearer ${token.replace('sk_', 'pk_')}` })],
  ['SQL', () => ({ authorization: "Bearer ' OR '1'='1" })],
  ['a token of 12 KB', () => ({ authorization: `Bearer ${'x'.repeat(12_000)}` })],
  ['the key in x-api-key', (token) => ({ authorization: '', 'x-api-key': token })],
  ['the key in a cookie', (token) => ({ authorization: '', cookie: `better-auth.session_token=${token}` })],
];

describe.each(surfaces)('a credential on %s', (surface) => {
  const path = `${prefixes[surface]}/emails`;
  afterEach(() => expectNothingStored(suite.posthorn));

  it.each(credentials)('that is %s is 401', async (_, headersOf) => {
    const headers = headersOf(suite.posthorn.dev.secretKey);
    for (const answer of [
      await suite.posthorn.get(path, headers),
      await suite.posthorn.post(path, mail, headers),
    ]) {
      expectRefusal(answer, surface, path, noCredential);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="http.+"$/);
    }
  });

  it.each(['key', 'token', 'access_token', 'api_key', 'authorization'])(
    'in the query as %s is 401',
    async (name) => {
      const location = `${path}?${name}=${suite.posthorn.dev.secretKey}`;
      expectRefusal(
        await suite.posthorn.get(location, { authorization: '' }),
        surface,
        location,
        noCredential,
      );
    },
  );

  it('in two headers is 401', async () => {
    const header = `authorization: Bearer ${suite.posthorn.dev.secretKey}`;
    for (const headers of [[header, header], [header, 'authorization: Basic x'], ['authorization: Basic x', header]]) {
      const { head, body } = await rawRequest(suite.posthorn, [`GET ${path} HTTP/1.1`, ...headers]);
      expect(head).toMatch(/^HTTP\/1\.1 401 /);
      expect(body).toMatch(surface === 'v1' ? '"code":"invalid_api_key"' : '"code":"INVALID_API_KEY"');
    }
  }); // prettier-ignore

  it('in a header of 16 KB or 1 MB is refused before routing', async () => {
    const { head, body } = await rawRequest(suite.posthorn, [
      `GET ${path} HTTP/1.1`,
      `authorization: Bearer ${'x'.repeat(16 * 1024)}`,
    ]);
    expect(head).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { message: 'The headers are too large', code: 'VALIDATION_ERROR' },
    });
    const huge = await rawRequest(suite.posthorn, [
      `GET ${path} HTTP/1.1`,
      `authorization: Bearer ${'x'.repeat(1024 * 1024)}`,
    ]);
    expect(huge.head).not.toMatch(/^HTTP\/1\.1 [^4]/);
    expect((await suite.posthorn.get(path)).status).toBe(200);
  });

  it('that is public can only send', async () => {
    const { publicKey } = suite.posthorn.dev;
    const id = '019b0000-0000-7000-8000-000000000001';
    const reads = [
      'GET /emails',
      `GET /emails/${id}`,
      'GET /contacts',
      `GET /contacts/${id}`,
      'GET /analytics/timeseries',
    ];
    const writes = [
      'POST /contacts',
      'POST /contacts/upsert',
      `PATCH /contacts/${id}`,
      `DELETE /contacts/${id}`,
      `POST /emails/${id}/cancel`,
    ];
    for (const [method, rest] of [...reads, ...writes].map((line) => line.split(' ') as [string, string])) {
      const location = `${prefixes[surface]}${rest}`;
      const answer = await suite.posthorn.request(method, location, method === 'GET' ? undefined : {}, {
        authorization: `Bearer ${publicKey}`,
      });
      expectRefusal(answer, surface, location, notForPublic);
    }
  });

  it('is read whatever the case of the scheme', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const { status } = await suite.posthorn.get(path, {
        authorization: `${scheme} ${suite.posthorn.dev.secretKey}`,
      });
      expect(status).toBe(200);
    }
  });
});

describe('a key created by the operator', () => {
  let key: Record<string, string>;
  beforeAll(async () => {
    key = await suite.operator('keys', 'create', '--name', 'reader', '--scopes', 'emails:read');
  });

  it.each(surfaces)('does on %s what its scopes say, and no more', async (surface) => {
    const headers = { authorization: `Bearer ${key['token']}` };
    const path = `${prefixes[surface]}/emails`;
    expect((await suite.posthorn.get(path, headers)).status).toBe(200);
    const refusal = {
      status: 403,
      code: 'scope_missing',
      detail: 'The credential lacks the scope emails:send',
    };
    expectRefusal(await suite.posthorn.post(path, mail, headers), surface, path, refusal);
    await expectNothingStored(suite.posthorn);
  });

  it('is refused once it is revoked', async () => {
    await suite.operator('keys', 'revoke', '--id', key['id']!);
    const headers = { authorization: `Bearer ${key['token']}` };
    // Each gateway learns of the revocation separately, so many requests reach all of them.
    const answers = () =>
      Promise.all(Array.from({ length: 8 }, () => suite.posthorn.get('/api/v1/emails', headers)));
    await delay(1_000);
    expect(new Set((await answers()).map(({ status }) => status))).toEqual(new Set([401]));
    for (const surface of surfaces) {
      const path = `${prefixes[surface]}/emails`;
      expectRefusal(await suite.posthorn.get(path, headers), surface, path, noCredential);
    }
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { confirmLinkOver, memberships, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { ConfirmTokens } from '@posthorn/mail';
import { standIn, testSecret } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const tokens = new ConfirmTokens([testSecret]);
const asPage = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const asProgram = { accept: 'application/json' };
const form = { ...asPage, 'content-type': 'application/x-www-form-urlencoded' };

let suite: GatewaySuite;
let confirmed: string[] = [];
/** The caller of the latest confirmation. */
let presser: Caller | null = null;
let redirectUrl: string | null = null;
let leave: (() => Promise<void>)[] = [];
const waits = (tokenHash: string) =>
  confirmed.includes(tokenHash)
    ? Promise.reject(confirmLinkOver())
    : Promise.resolve({ listName: 'News <i>', redirectUrl });
const contactsCome = async () => {
  leave = [
    await standIn(suite.connection, memberships.look, ({ tokenHash }) => waits(tokenHash)),
    await standIn(suite.connection, memberships.confirm, async ({ tokenHash }, caller) => {
      const location = await waits(tokenHash);
      confirmed.push(tokenHash);
      presser = caller;
      return location;
    }),
  ];
};
const contactsGo = () => Promise.all(leave.map((each) => each()));

beforeAll(async () => {
  suite = await startGatewaySuite();
  await contactsCome();
});
beforeEach(() => {
  confirmed = [];
  redirectUrl = null;
});
afterAll(async () => {
  await contactsGo();
  await suite.stop();
});

async function buildLink(language = 'en', name = 'Shop <b>', prefix = '/api'): Promise<string> {
  const { projectId } = await suite.buildProject();
  await suite.database.query(`UPDATE projects SET language = $2, name = $3 WHERE id = $1`, [
    projectId,
    language,
    name,
  ]);
  const [token] = tokens.of({ projectId, membershipId: newId(), round: 1 });
  return `${prefix}/lists/confirm-subscription?token=${token}`;
}

describe('a confirmation link in a browser', () => {
  it('shows a form, escapes values, runs no script and confirms nothing, however often it is opened', async () => {
    const path = await buildLink();
    const published = await suite.request('GET', path, { headers: asPage });
    expect([published.status, published.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(published.text).toContain(
      'Press the button to subscribe to <strong>News &lt;i&gt;</strong> from Shop &lt;b&gt;.',
    );
    expect(published.text).not.toMatch(/<script|style=|\son\w+=/);
    expect(published.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self';.*form-action 'self';/,
    );
    expect([published.headers.get('x-robots-tag'), published.headers.get('cache-control')]).toEqual([
      'noindex, nofollow',
      'no-store',
    ]);
    for (const headers of [{}, asPage, asProgram])
      expect((await suite.request('HEAD', path, { headers })).status).toBe(200);
    expect((await suite.request('HEAD', `${path}&confirm=1`)).status).toBe(200);
    expect(confirmed).toEqual([]);
  });

  it.each([
    ['en', 'en', 'Confirm your subscription', 'You are subscribed', 'This link is no longer valid'],
    ['de-AT', 'de', 'Anmeldung bestätigen', 'Sie sind angemeldet', 'Dieser Link gilt nicht mehr'],
    ['fr', 'fr', 'Confirmer votre inscription', 'Inscription confirmée', 'Ce lien n’est plus valable'],
    ['es', 'es', 'Confirmar su suscripción', 'Suscripción confirmada', 'Este enlace ya no sirve'],
    ['pl', 'en', 'Confirm your subscription', 'You are subscribed', 'This link is no longer valid'],
  ])('of a project in %s is in %s', async (language, described, requests, done, over) => {
    const path = await buildLink(language);
    const submit = () => suite.request('POST', path, { headers: form, body: 'confirmed=yes' });
    const published = [await suite.request('GET', path, { headers: asPage }), await submit(), await submit()];
    expect(published.map(({ status }) => status)).toEqual([200, 200, 410]);
    for (const [index, title] of [requests, done, over].entries()) {
      expect(published[index]!.text).toContain(`<html lang="${described}">`);
      expect(published[index]!.text).toContain(`<h1>${title}</h1>`);
      expect(published[index]!.text).toContain('Shop &lt;b&gt;');
      // The page of an expired link does not name the list.
      expect(published[index]!.text.includes('<strong>News &lt;i&gt;</strong>')).toBe(title !== over);
    }
    expect(confirmed).toHaveLength(1);
  });

  it('passes on the client that pressed the button, as proof of consent', async () => {
    const path = await buildLink();
    await suite.request('POST', path, {
      headers: { ...form, 'user-agent': `A reader/${'1'.repeat(600)}` },
      body: 'confirmed=yes',
    });
    expect(presser).toMatchObject({
      ipAddress: '127.0.0.1',
      userAgent: `A reader/${'1'.repeat(503)}`,
      actor: { kind: 'SERVICE' },
    });
  });

  it('redirects to the URL of the list, which the form policy allows', async () => {
    redirectUrl = 'https://shop.example/dañke?a=1';
    const path = await buildLink();
    const page = await suite.request('GET', path, { headers: asPage });
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const published = await suite.request('POST', path, { headers: form, body: 'confirmed=yes' });
    expect([published.status, published.headers.get('location'), published.text]).toEqual([
      302,
      'https://shop.example/da%C3%B1ke?a=1',
      '',
    ]);
  });
});

describe('a confirmation link outside a browser', () => {
  it.each([
    ['a program', 'GET', '', asProgram],
    ['curl', 'GET', '', { accept: '*/*' }],
    ['a browser with confirm=1', 'GET', '&confirm=1', asPage],
    ['a POST without a body', 'POST', '', { accept: '*/*' }],
    ['a POST of JSON', 'POST', '', { ...asProgram, 'content-type': 'application/json' }],
  ])('confirms at once: %s', async (_, method, more, headers) => {
    const published = await suite.request(method, (await buildLink()) + more, {
      headers,
      ...('content-type' in headers ? { body: '{}' } : {}),
    });
    expect([published.status, confirmed.length]).toEqual([200, 1]);
    if (headers.accept === asProgram.accept)
      expect(published.json).toEqual({ success: true, data: { status: 'CONFIRMED' } });
    else expect(published.text).toContain('<h1>You are subscribed</h1>');
  });

  it.each([
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'WhatsApp/2.23.20.0',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  ])('confirms nothing for a preview: %s', async (userAgent) => {
    const path = await buildLink();
    for (const link of [path, `${path}&confirm=1`]) {
      const published = await suite.request('GET', link, {
        headers: { accept: '*/*', 'user-agent': userAgent },
      });
      expect([published.status, published.headers.get('content-type'), confirmed]).toEqual([
        200,
        'text/html; charset=utf-8',
        [],
      ]);
    }
    const ahead = await suite.request('GET', `${path}&confirm=1`, {
      headers: { ...asPage, 'sec-purpose': 'prefetch' },
    });
    expect([ahead.status, confirmed]).toEqual([200, []]);
  });

  it('uses the dialect of its path', async () => {
    const path = await buildLink('en', 'Shop', '/api/v1');
    const published = [
      await suite.request('GET', path, { headers: asProgram }),
      await suite.request('GET', path, { headers: asProgram }),
    ];
    expect(published.map(({ status, json }) => [status, json])).toEqual([
      [200, { status: 'CONFIRMED' }],
      [
        410,
        expect.objectContaining({
          code: 'resource_not_found',
          status: 410,
          detail: 'The confirmation link was used or has expired',
        }),
      ],
    ]);
    const legacy = await suite.request('GET', path.replace('/v1', ''), { headers: asProgram });
    expect([legacy.status, legacy.json]).toEqual([
      410,
      {
        success: false,
        error: { code: 'RESOURCE_NOT_FOUND', message: 'The confirmation link was used or has expired' },
      },
    ]);
  });

  it('is 404 if it is invalid, always with the same text', async () => {
    const path = await buildLink();
    const [stray] = tokens.of({ projectId: newId(), membershipId: newId(), round: 1 });
    const base = path.split('=')[0]!;
    const wrong = [
      path.slice(0, -1) + (path.endsWith('A') ? 'Q' : 'A'),
      `${base}=${stray}`,
      `${base}=x`,
      base,
      `${path}&token=x`,
      `${base}=%00`,
    ];
    const published = await Promise.all(wrong.map((each) => suite.request('GET', each)));
    expect(published.map(({ status }) => status)).toEqual(wrong.map(() => 404));
    expect(new Set(published.map(({ text }) => text)).size).toBe(1);
    expect(published[0]!.text).toContain('<h1>This link is not valid</h1>');
    const program = await suite.request('GET', wrong[0]!, { headers: asProgram });
    expect([program.status, program.json]).toEqual([
      404,
      {
        success: false,
        error: { code: 'RESOURCE_NOT_FOUND', message: 'The confirmation link is not valid' },
      },
    ]);
    expect(confirmed).toEqual([]);
  });

  it.each([
    ['x'.repeat(17_000), form['content-type'], 413],
    ['<a/>', 'application/xml', 415],
  ])('accepts only form bodies', async (body, type, status) => {
    const published = await suite.request('POST', await buildLink(), {
      body,
      headers: { 'content-type': type },
    });
    expect([published.status, confirmed]).toEqual([status, []]);
  });

  it('says that nothing was changed while contacts is unavailable', async () => {
    const path = await buildLink('de');
    await contactsGo();
    try {
      for (const [method, headers] of [
        ['GET', asPage],
        ['POST', form],
      ] as const) {
        const published = await suite.request(method, path, {
          headers,
          ...(method === 'POST' ? { body: 'confirmed=yes' } : {}),
        });
        expect([published.status, published.headers.get('retry-after')]).toEqual([503, '1']);
        expect(published.text).toContain('Es hat sich nichts geändert.');
      }
      const program = await suite.request('GET', path, { headers: asProgram });
      expect([program.status, program.json['success']]).toEqual([503, false]);
    } finally {
      await contactsCome();
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { prefixes, surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn();
const shop = 'https://shop.example';
const mail = { subject: 'Hello', body: '<p>Hi</p>', from: 'hello@example.test' };
const send = (surface: Surface, key: string, body: object, headers: Record<string, string> = {}) =>
  suite.posthorn.post(`${prefixes[surface]}/emails`, body, { authorization: `Bearer ${key}`, ...headers });
const sent = { v1: 202, legacy: 200 };
const keyOf = async (...options: string[]) =>
  (await suite.operator('keys', 'create', '--name', 'page', '--preset', 'SENDING_ONLY', ...options))[
    'token'
  ]!;
const refusalOf = ({ status, text, body }: Answer) => [
  status,
  String(body.code ?? body.error.code).toLowerCase(),
  text,
];
const because = (reason: string) => [403, 'scope_missing', expect.stringContaining(reason)];

describe.each(surfaces)('a confined public key on %s', (surface) => {
  const prefix = prefixes[surface];

  it('works only in pages of its origins', async () => {
    const key = await keyOf('--origins', `${shop},http://localhost:8080`);
    const body = { ...mail, to: 'ada@example.com' };
    expect((await send(surface, key, body, { origin: shop })).status).toBe(sent[surface]);
    for (const headers of [{}, { origin: 'https://elsewhere.example' }])
      expect(refusalOf(await send(surface, key, body, headers as Record<string, string>))).toEqual(
        because('works only in pages of the origins'),
      );
  });

  it('sends only to subscribed contacts, makes none, and refuses the others of a batch one by one', async () => {
    const { posthorn } = suite;
    const [known, left, outsider] = ['known', 'left', 'outsider'].map(
      (name) => `${name}-${surface}@example.com`,
    ) as [string, string, string];
    await posthorn.post('/api/v1/contacts', { email: known });
    await posthorn.post('/api/v1/contacts', { email: left, subscribed: false });
    const key = await keyOf('--recipients', 'CONTACTS');
    expect((await send(surface, key, { ...mail, to: known })).status).toBe(sent[surface]);
    for (const whom of [
      { to: outsider },
      { to: left },
      { to: known, cc: [outsider] },
      { to: known, bcc: [left] },
    ])
      expect(refusalOf(await send(surface, key, { ...mail, ...whom }))).toEqual(
        because('only to subscribed contacts'),
      );
    const batch = await posthorn.post(
      `${prefix}/emails/batch`,
      {
        emails: [
          { ...mail, to: known },
          { ...mail, to: outsider },
        ],
      },
      { authorization: `Bearer ${key}` },
    );
    expect([batch.status, batch.text]).toEqual([
      207,
      expect.stringMatching(/"index":1,"status":"error","error":\{"code":"scope_missing"/i),
    ]);
    const { body: list } = await posthorn.post('/api/v1/lists', { name: `Readers ${surface}` });
    const subscribed = await posthorn.post(
      `${prefix}/lists/${list.id}/subscribe`,
      { email: outsider },
      { authorization: `Bearer ${key}` },
    );
    expect(refusalOf(subscribed)).toEqual(because('may not make contacts'));
    expect((await posthorn.get(`/api/v1/contacts?search=${outsider}`)).body.data).toEqual([]);
  });

  it('sends only its templates, as they are', async () => {
    const { posthorn } = suite;
    const make = async (name: string) =>
      (
        await posthorn.post('/api/v1/templates', {
          name,
          subject: 'Welcome, {{ name }}',
          body: '<p>Hi</p>',
          email_category: 'TRANSACTIONAL',
        })
      ).body.id as string;
    const [mine, other] = [await make(`mine ${surface}`), await make(`other ${surface}`)];
    const key = await keyOf('--template-ids', mine);
    const to = `templates-${surface}@example.com`;
    expect((await send(surface, key, { to, template: mine, data: { name: 'Ada' } })).status).toBe(
      sent[surface],
    );
    for (const content of [{ template: other }, mail])
      expect(refusalOf(await send(surface, key, { to, ...content }))).toEqual(because('only the templates'));
    for (const content of [{ subject: 'Urgent' }, { from: 'ceo@example.test' }, { headers: { 'X-A': 'b' } }])
      expect(refusalOf(await send(surface, key, { to, template: mine, ...content }))).toEqual(
        because('come from the template'),
      );
  });

  it('is confined, shown and changed over HTTP; one that may only subscribe does nothing else', async () => {
    const { posthorn } = suite;
    const path = `${prefix}/projects/${posthorn.dev.projectId}/api-keys`;
    const name = surface === 'v1' ? 'subscribe_only' : 'subscribeOnly';
    const preset = surface === 'v1' ? 'legacy_grant_preset' : 'legacyGrantPreset';
    const made = await posthorn.post(path, {
      name: 'form',
      [preset]: 'SENDING_ONLY',
      confine: { [name]: true },
    });
    const shown = (body: Answer['body']) => (body.data ?? body).confine;
    expect([made.status, shown(made.body)]).toMatchObject([
      201,
      { recipients: 'ANY', origins: null, [name]: true },
    ]);
    const one = `${path}/${(made.body.data ?? made.body).id}`;
    const widened = await posthorn.request('PATCH', one, { confine: { origins: [shop] } });
    expect(shown(widened.body)).toMatchObject({ origins: [shop], [name]: false });
    expect(shown((await posthorn.get(one)).body)).toEqual(shown(widened.body));
    const secret = await posthorn.post(path, { name: 'secret', confine: { [name]: true } });
    expect([secret.status, secret.text]).toEqual([422, expect.stringContaining('for public keys only')]);

    const { body: list } = await posthorn.post('/api/v1/lists', {
      name: `Form ${surface}`,
      double_opt_in: true,
    });
    const form = { authorization: `Bearer ${posthorn.dev.formKey}` };
    const email = `form-${surface}@example.com`;
    const subscribed = await posthorn.post(`${prefix}/lists/${list.id}/subscribe`, { email }, form);
    expect([subscribed.status, subscribed.text]).toEqual([200, expect.stringContaining('"PENDING"')]);
    expect(subscribed.text).not.toMatch(/confirm_?token/i);
    const published = [
      await send(surface, posthorn.dev.formKey, { ...mail, to: email }),
      await posthorn.post(`${prefix}/emails/batch`, { emails: [{ ...mail, to: email }] }, form),
    ];
    for (const each of published) expect(refusalOf(each)).toEqual(because('may only subscribe'));
    const event = surface === 'v1' ? 'events' : 'track';
    const elsewhere = [
      await posthorn.post(`${prefix}/${event}`, { name: 'a', event: 'a', email }, form),
      await posthorn.request('GET', `${prefix}/lists/${list.id}/members`, undefined, form),
      await posthorn.request('GET', `${prefix}/contacts`, undefined, form),
    ];
    expect(elsewhere.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await posthorn.post(`${prefix}/lists/${list.id}/unsubscribe`, { email }, form)).status).toBe(200);
  });

  it('obeys a change on every gateway within a second', async () => {
    const { posthorn, operator } = suite;
    const { id, token } = await operator('keys', 'create', '--name', 'page', '--preset', 'SENDING_ONLY');
    const body = { ...mail, to: 'ada@example.com' };
    expect((await send(surface, token!, body)).status).toBe(sent[surface]);
    const path = `${prefix}/projects/${posthorn.dev.projectId}/api-keys/${id}`;
    expect((await posthorn.request('PATCH', path, { confine: { origins: [shop] } })).status).toBe(200);
    await eventually(async () => (await send(surface, token!, body)).status === 403, 'the key is confined');
  });
});

describe('a public key in the compatibility dialect', () => {
  it('is none, confined or not', async () => {
    const key = await keyOf('--origins', shop);
    for (const token of [key, suite.posthorn.dev.publicKey, suite.posthorn.dev.formKey]) {
      const response = await fetch(`${suite.posthorn.dev.baseUrl}/api/compat/postmark/email`, {
        method: 'POST',
        headers: { 'x-postmark-server-token': token, origin: shop },
        body: JSON.stringify({ From: mail.from, To: 'ada@example.com', Subject: 'Hi', HtmlBody: 'x' }),
      });
      const { ErrorCode } = (await response.json()) as { ErrorCode: number };
      expect([response.status, ErrorCode]).toEqual([401, 10]);
    }
  });
});

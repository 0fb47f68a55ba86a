import { describe, expect, it } from '@jest/globals';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const email = 'ada@example.com';

describe('events', () => {
  it('are recorded once per key and listed, on both surfaces', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post(
      '/api/v1/events',
      { name: 'signup', email, payload: { plan: 'pro' } },
      { 'idempotency-key': 'one' },
    );
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'signup',
        contact_id: expect.any(String),
        email_id: null,
        payload: { plan: 'pro' },
        created_at: expect.any(String),
      },
    ]);
    const again = await posthorn.post(
      '/api/v1/events',
      { name: 'signup', email, payload: { plan: 'pro' } },
      { 'idempotency-key': 'one' },
    );
    expect(again.text).toBe(made.text);
    const other = await posthorn.post(
      '/api/v1/events',
      { name: 'signup', email },
      { 'idempotency-key': 'one' },
    );
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const old = await posthorn.post('/api/events', { name: 'paid', contactId: made.body.contact_id });
    expect([old.status, old.body.data.contactId]).toEqual([201, made.body.contact_id]);
    const tracked = await posthorn.post('/api/track', {
      event: 'paid',
      email,
      data: { seats: 3, deep: { a: 1 } },
    });
    expect([tracked.status, tracked.body]).toEqual([
      200,
      {
        success: true,
        data: { contact: made.body.contact_id, event: expect.any(String), timestamp: expect.any(String) },
      },
    ]);
    expect(
      JSON.parse((await posthorn.get(`/api/v1/contacts/${made.body.contact_id}`)).body.custom_fields),
    ).toEqual({ seats: 3 });

    const page = await posthorn.get('/api/v1/events?limit=2');
    expect([page.body.data.map(({ name }: { name: string }) => name), page.body.has_more]).toEqual([
      ['paid', 'paid'],
      true,
    ]);
    const next = await posthorn.get(`/api/v1/events?limit=2&after=${page.body.next_cursor}`);
    expect(next.body.data).toEqual([made.body]);
    const named = await posthorn.get(`/api/events?eventName=paid&contactId=${made.body.contact_id}`);
    expect([named.body.data.items.length, named.body.data.total]).toEqual([2, 2]);
    expect((await posthorn.get('/api/v1/events/names')).body).toEqual({ data: ['paid', 'signup'] });
    const stats = await posthorn.get('/api/v1/events/stats');
    expect(stats.body.data).toMatchObject([
      { name: 'paid', count: 2 },
      { name: 'signup', count: 1 },
    ]);
  });

  it.each(surfaces)('are refused on %s where something does not fit', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/events`;
    const contactId = surface === 'v1' ? 'contact_id' : 'contactId';
    const occurredAt = surface === 'v1' ? 'occurred_at' : 'occurredAt';
    const cases: [object | string, string, string][] = [
      [{ name: 'email.sent', email }, '/name', 'not_allowed'],
      [{ name: 'x'.repeat(201), email }, '/name', 'too_long'],
      [{ name: '', email }, '/name', 'too_short'],
      [{ name: 'a' }, `/${contactId}`, 'required'],
      [{ name: 'a', [contactId]: randomId }, `/${contactId}`, 'not_found'],
      [{ name: 'a', email, [occurredAt]: '2020-01-01T00:00:00Z' }, `/${occurredAt}`, 'out_of_range'],
      [{ name: 'a', email, [occurredAt]: 'infinity' }, `/${occurredAt}`, 'invalid_format'],
      [{ name: 'a', email, payload: { big: 'x'.repeat(64 * 1024) } }, '/payload', 'too_long'],
      [
        { name: 'a', email, payload: { a: { b: { c: { d: { e: { f: 1 } } } } } } },
        '/payload',
        'out_of_range',
      ],
      [`{"name":"a","email":"${email}","payload":{"n":1e400}}`, '/payload/n', 'out_of_range'],
    ];
    for (const [body, pointer, code] of cases) {
      expectRefusal(await posthorn.post(path, body), surface, path, {
        status: 422,
        errors: [[pointerOn(surface, pointer), code]],
      });
    }
    const proto = await posthorn.post(
      path,
      `{"name":"proto","email":"${email}","payload":{"__proto__":{"admin":true}}}`,
    );
    expect(
      proto.status === 201
        ? JSON.stringify(surface === 'v1' ? proto.body.payload : proto.body.data.payload)
        : proto.status,
    ).toBe('{"__proto__":{"admin":true}}');
  });

  it('require a secret key with the scope', async () => {
    const { posthorn } = suite;
    const publicKey = { authorization: `Bearer ${posthorn.dev.publicKey}` };
    const refused = [
      await posthorn.post('/api/track', { event: 'a', email }, publicKey),
      await posthorn.post('/api/v1/events', { name: 'a', email }, publicKey),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect((await posthorn.post('/api/v1/track', { event: 'a', email })).status).toBe(404);
  });
});

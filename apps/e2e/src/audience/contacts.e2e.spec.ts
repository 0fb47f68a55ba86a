import { describe, expect, it } from '@jest/globals';
import { expectRefusal, prefixes, randomId, surfaces, withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();
const row = (email: string, more: object = {}) => ({ email, ...more });

describe('contacts in bulk', () => {
  it('are written row by row on v1, and failures name the index', async () => {
    const { posthorn } = suite;
    const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } };
    const rows = [
      row('ada@bulk.test', { custom_fields: { plan: 'pro' } }),
      row('no address'),
      row('joan@bulk.test', { custom_fields: deep }),
      row('mary@bulk.test', { subscribed: 'yes' }),
      row('ada@bulk.test', { subscribed: true }),
      'no row',
      row('grace@bulk.test', { custom_fields: '{"big":"' + 'x'.repeat(64 * 1024) + '"}' }),
      row('hedy@bulk.test', { customFields: {} }),
    ];
    const answer = await posthorn.post('/api/v1/contacts/bulk', { contacts: rows });
    expect([answer.status, answer.body.created, answer.body.updated, answer.body.skipped]).toEqual([
      200, 1, 0, 1,
    ]);
    expect(answer.body.errors).toEqual(
      [1, 2, 3, 5, 6, 7].map((index) => ({ index, reason: expect.any(String) })),
    );
    const exact = await posthorn.get('/api/v1/contacts?email=nobody.at%40bulk.test');
    expect([exact.status, exact.body.data]).toEqual([200, []]);
    const found = await posthorn.get('/api/v1/contacts?search=bulk.test');
    expect(found.body.data.map(({ email }: { email: string }) => email)).toEqual(['ada@bulk.test']);
    const again = await posthorn.post('/api/v1/contacts/bulk', {
      contacts: [row('ada@bulk.test', { subscribed: false })],
    });
    expect(again.body).toEqual({ created: 0, updated: 1, skipped: 0, errors: [] });
    const { id } = found.body.data[0];
    const consents = await posthorn.get(`/api/v1/contacts/${id}/consents`, {
      'user-agent': 'a client of the suite',
    });
    expect(consents.body.data).toMatchObject([
      { before: true, after: false, source: 'BULK', actor: { kind: 'KEY' }, contact_id: id },
      {
        before: null,
        after: true,
        source: 'BULK',
        address: expect.any(String),
        user_agent: expect.any(String),
      },
    ]);
    const removed = await posthorn.request('DELETE', '/api/v1/contacts/bulk', { ids: [id, randomId] });
    expect([removed.status, removed.body]).toEqual([200, { deleted: 1 }]);
  });

  it('have the names and envelopes of the legacy surface', async () => {
    const { posthorn } = suite;
    const answer = await posthorn.post('/api/contacts/bulk', {
      contacts: [row('a@old.test', { data: { plan: 'pro' } }), row('x')],
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: true,
        data: {
          created: 1,
          updated: 0,
          skipped: 0,
          errors: [{ index: 1, reason: expect.stringContaining('email') }],
        },
      },
    ]);
    const removed = await posthorn.request('DELETE', '/api/contacts/bulk', {
      emails: ['A@old.test', 'nobody@old.test'],
    });
    expect([removed.status, removed.body]).toEqual([200, { success: true }]);
    expect((await posthorn.get('/api/contacts?search=old.test')).body.data.total).toBe(0);
  });

  it.each(surfaces)('are refused whole on %s where the whole is wrong', async (surface) => {
    const path = `${prefixes[surface]}/contacts/bulk`;
    const location = (name: string) => (surface === 'v1' ? `/${name}` : name);
    const many = Array.from({ length: 1001 }, (_, index) => row(`p${index}@many.test`));
    for (const [body, code] of [
      [{ contacts: [] }, 'too_short'],
      [{ contacts: many }, 'too_long'],
      [{}, 'required'],
    ] as const) {
      expectRefusal(await suite.posthorn.post(path, body), surface, path, {
        status: 422,
        errors: [[location('contacts'), code]],
      });
    }
    for (const body of [{}, { ids: [randomId], emails: ['a@b.test'] }]) {
      const answer = await suite.posthorn.request('DELETE', path, body);
      expectRefusal(answer, surface, path, { status: 422, errors: [[location('ids'), 'required']] });
    }
    expect((await suite.posthorn.get('/api/v1/contacts?search=many.test')).body.data).toEqual([]);
  });
});

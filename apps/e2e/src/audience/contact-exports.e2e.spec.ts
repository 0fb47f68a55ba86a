import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { prefixes, surfaces, withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();
const columns = ['id', 'email', 'subscribed', 'custom_fields', 'created_at', 'updated_at'];

describe('an export of contacts', () => {
  it.each(surfaces)('is a CSV table of any filter with formulas disarmed, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/contacts`;
    const made = await posthorn.post('/api/v1/contacts', {
      email: `=cmd@${surface}.example.com`,
      custom_fields: { note: 'a "b",\r\n=1+1' },
    });
    await posthorn.post('/api/v1/contacts', { email: `plain@${surface}.example.com`, subscribed: false });
    const published = await posthorn.get(`${path}/export?search=${surface}.example.com`);
    expect([published.status, published.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    const [head, ...rows] = parse(published.text) as string[][];
    expect(head).toEqual(columns);
    expect(rows.map(([, email, subscribed]) => [email, subscribed])).toEqual([
      [`plain@${surface}.example.com`, 'false'],
      [`'=cmd@${surface}.example.com`, 'true'],
    ]);
    expect([rows[1]![0], JSON.parse(rows[1]![3]!)]).toEqual([made.body.id, { note: 'a "b",\r\n=1+1' }]);
    const some = await posthorn.get(`${path}/export?search=${surface}.example.com&subscribed=true`, {
      accept: 'application/json',
    });
    expect(parse(some.text) as string[][]).toHaveLength(2);
    const none = await posthorn.get(`${path}/export?search=nobody-is-called-that`);
    expect(none.text).toBe(`${columns.join(',')}\r\n`);
  });

  it('is refused like every route', async () => {
    const refused = await suite.posthorn.get('/api/v1/contacts/export?subscribed=perhaps');
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_error']);
    const publicly = await suite.posthorn.get('/api/contacts/export', {
      authorization: `Bearer ${suite.posthorn.dev.publicKey}`,
    });
    expect(publicly.status).toBe(403);
  });
});

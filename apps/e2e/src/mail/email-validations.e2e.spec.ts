import { afterAll, describe, expect, it } from '@jest/globals';
import { DnsServer } from '@posthorn/testing';
import { expectRefusal, pointerOn, prefixes, surfaces, withPosthorn } from '../testing/bad-input.js';

const dns = await DnsServer.start();
const suite = withPosthorn({ DNS_SERVERS: dns.address, DNS_TIMEOUT_MS: '200' });
afterAll(() => dns.stop());

describe('validations', () => {
  it.each(surfaces)('are made, listed and read, and make nobody a contact, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/email-validations`;
    const inside = (body: Record<string, unknown>) => (surface === 'v1' ? body : body['data']) as typeof body;
    dns.set('MX', 'shop.example', ['10 mx.shop.example']);
    dns.behave('silent.example', 'lame');
    const emails = ['ada@shop.example', 'ada', 'ada@silent.example'];
    const made = await posthorn.post(path, { emails });
    expect(made.status).toBe(201);
    const id = inside(made.body)['id'] as string;
    expect(inside(made.body)).toMatchObject({
      total: 3,
      counts: { VALID: 1, RISKY: 0, INVALID: 1, UNKNOWN: 1 },
      results: [
        { email: 'ada@shop.example', verdict: 'VALID', reason: null, suggestion: null },
        { email: 'ada', verdict: 'INVALID', reason: 'syntax' },
        { email: 'ada@silent.example', verdict: 'UNKNOWN', reason: 'no_answer' },
      ],
    });
    const read = await posthorn.get(`${path}/${id}`);
    expect([read.status, read.body]).toEqual([200, made.body]);
    const list = await posthorn.get(path);
    expect(list.status).toBe(200);
    expect(list.text).toContain(id);
    expect(list.text).not.toContain('ada@shop.example');
    const contacts = await posthorn.get('/api/v1/contacts?search=ada@shop.example');
    expect(contacts.body.data).toEqual([]);
  });

  it.each(surfaces)('refuse no addresses, and more than fifty, on %s', async (surface) => {
    const path = `${prefixes[surface]}/email-validations`;
    const tooMany = Array.from({ length: 51 }, (_, index) => `r${index}@shop.example`);
    for (const [emails, code] of [
      [[], 'too_short'],
      [tooMany, 'too_long'],
    ] as const)
      expectRefusal(await suite.posthorn.post(path, { emails }), surface, path, {
        status: 422,
        errors: [[pointerOn(surface, '/emails'), code]],
      });
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import { DnsServer, eventually } from '@posthorn/testing';
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

describe('the validation of a file', () => {
  const csv = { 'content-type': 'text/csv' };

  it.each(surfaces)('is uploaded, followed, and downloaded as a table, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/email-validations`;
    const inside = (body: Record<string, unknown>) => (surface === 'v1' ? body : body['data']) as typeof body;
    dns.set('MX', 'shop.example', ['10 mx.shop.example']);
    const table = 'Name;E-Mail\nAda;ada@shop.example\n=1+1;=cmd\n';
    const begun = await posthorn.post(`${path}/import`, table, csv);
    expect([begun.status, inside(begun.body)]).toMatchObject([202, { status: 'QUEUED', processed: 0 }]);
    const one = `${path}/${inside(begun.body)['id'] as string}`;
    const done = await eventually(async () => {
      const now = inside((await posthorn.get(one)).body);
      return now['status'] === 'COMPLETED' ? now : null;
    }, 'the file is validated');
    expect(done).toMatchObject({ total: 2, processed: 2, counts: { VALID: 1, INVALID: 1 } });
    expect(done['results']).toHaveLength(2);
    const results = await posthorn.get(`${one}/results`);
    expect(results.text.split('\r\n')).toEqual([
      'line,email,verdict,reason,suggestion,syntax,mx,role,disposable,free,suppressed',
      '2,ada@shop.example,VALID,,,true,true,false,false,false,false',
      "3,'=cmd,INVALID,syntax,,false,,,,,",
      '',
    ]);
    const invalid = await posthorn.get(`${one}/results?verdict=INVALID`);
    expect(invalid.text.trimEnd().split('\r\n')).toHaveLength(2);
    const cancelled = await posthorn.post(`${one}/cancel`, {});
    expect(inside(cancelled.body)['status']).toBe('COMPLETED');
  });

  it.each(surfaces)('refuses what is no table of addresses, on %s', async (surface) => {
    const path = `${prefixes[surface]}/email-validations/import`;
    for (const [table, query, member] of [
      ['name\nAda\n', '', '/csv'],
      ['PK\u0003\u0004', '', '/csv'],
      ['email\nada@shop.example\n', '?column=address', '/column'],
    ] as const) {
      const refused = await suite.posthorn.post(`${path}${query}`, table, csv);
      expect([table, refused.status]).toEqual([table, 422]);
      expect(refused.text).toContain(member.slice(1));
    }
    const unknown = await suite.posthorn.get(
      `${prefixes[surface]}/email-validations/00000000-0000-7000-8000-000000000000/results`,
    );
    expect(unknown.status).toBe(404);
  });
});

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectNothingStored,
  expectRefusal,
  pointerOn,
  prefixes,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const customFields: Readonly<Record<Surface, string>> = { v1: 'custom_fields', legacy: 'customFields' };
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

/** Bodies with faults in custom fields, whose name depends on the surface. */
const refusedFields: [string, string, string, string][] = [
  ['more than 64 KiB', JSON.stringify({ a: 'x'.repeat(65_530) }), '', 'too_long'],
  ['depth 6', JSON.stringify(nested(6)), '', 'out_of_range'],
  ['depth 5 000', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, '/a'.repeat(31), 'out_of_range'],
  ['1 001 members', JSON.stringify(members(1_001)), '', 'out_of_range'],
  ['a list', '[]', '', 'invalid_type'],
  ['a number', '7', '', 'invalid_type'],
  ['null', 'null', '', 'invalid_type'],
  ['a text', '"hello"', '', 'invalid_type'],
  ['broken JSON in a text', '"{\\"a\\":"', '', 'invalid_type'],
  ['a list in a text', '"[1]"', '', 'invalid_type'],
  ['an escaped NUL', '{"a":"\\u0000"}', '/a', 'invalid_text'],
  ['an escaped NUL in a name', '{"b":1,"a\\u0000":1}', '/', 'invalid_text'],
  ['a lone surrogate', '{"a":"\\ud800"}', '/a', 'invalid_text'],
  ['a number out of range', '{"a":1e140000}', '/a', 'out_of_range'],
];

/** JSON in a string is read on v1 only, with the same checks. */
const refusedTexts: [string, string, string][] = [
  ['a member named twice', '{"a":1,"a":2}', 'not_allowed'],
  ['an escaped NUL', '{"a":"\\u0000"}', 'invalid_text'],
  ['a lone surrogate', '{"a":"\\ud800"}', 'invalid_text'],
  ['depth 6', JSON.stringify(nested(6)), 'out_of_range'],
  ['depth 5 000', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'out_of_range'],
  ['more than 64 KiB', JSON.stringify({ a: 'x'.repeat(65_530) }), 'too_long'],
  ['a number out of range', '{"a":1e999}', 'out_of_range'],
];

const refusedBodies: [string, object, [pointer: string, code: string][]][] = [
  ['an address of 6 KB', { email: `${'x'.repeat(6_000)}@example.com` }, [['/email', 'invalid_format']]],
  ['an address of 255 characters', { email: `ada@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.example` }, [['/email', 'invalid_format']]],
  ['CR/LF after the address', { email: 'ada@example.com\r\n' }, [['/email', 'invalid_format']]],
  ['two addresses', { email: 'ada@example.com,bob@example.com' }, [['/email', 'invalid_format']]],
  ['a named address', { email: 'Ada <ada@example.com>' }, [['/email', 'invalid_format']]],
  ['an address in an object', { email: { email: 'ada@example.com' } }, [['/email', 'invalid_type']]],
  ['no address', { email: undefined }, [['/email', 'required']]],
  ['subscribed as a string', { subscribed: 'true' }, [['/subscribed', 'invalid_type']]],
  ['subscribed null', { subscribed: null }, [['/subscribed', 'invalid_type']]],
  ['unknown members', { id: 'x', name: 'Ada', created_at: '2026-01-01T00:00:00Z' }, [['/id', 'unknown_field'], ['/name', 'unknown_field'], ['/created_at', 'unknown_field']]],
  ['several faults', { email: 'x', subscribed: 1 }, [['/email', 'invalid_format'], ['/subscribed', 'invalid_type']]],
]; // prettier-ignore

describe.each(surfaces)('a contact on %s, refused with nothing stored', (surface) => {
  const fields = customFields[surface];
  const expectRefused = async (body: unknown, errors: readonly (readonly [string, string])[]) => {
    for (const path of [`${prefixes[surface]}/contacts`, `${prefixes[surface]}/contacts/upsert`]) {
      const here = errors.map(([pointer, code]) => [pointerOn(surface, pointer), code] as const);
      expectRefusal(await suite.posthorn.post(path, body), surface, path, { status: 422, errors: here });
    }
  };
  afterEach(() => expectNothingStored(suite.posthorn));

  it.each(refusedBodies)('with %s', async (_, body, errors) => {
    await expectRefused({ email: 'ada@example.com', ...body }, errors);
  });

  it.each(refusedFields)('with custom fields of %s', async (_, json, below, code) => {
    await expectRefused(`{"email":"ada@example.com","${fields}":${json}}`, [[`/${fields}${below}`, code]]);
  });

  it.each(refusedTexts)('with custom fields in a text, of %s', async (_, json, code) => {
    await expectRefused({ email: 'ada@example.com', [fields]: json }, [
      [`/${fields}`, surface === 'v1' ? code : 'invalid_type'],
    ]);
  });

  it('with the names of the other surface, or both names at once', async () => {
    const other = customFields[surface === 'v1' ? 'legacy' : 'v1'];
    await expectRefused({ email: 'ada@example.com', [other]: {} }, [[`/${other}`, 'unknown_field']]);
    const both =
      surface === 'v1' ? (['/data', 'unknown_field'] as const) : ([`/${fields}`, 'not_allowed'] as const);
    await expectRefused({ email: 'ada@example.com', data: {}, [fields]: {} }, [both]);
  });
});

describe.each(surfaces)('a contact that exists, on %s', (surface) => {
  const fields = customFields[surface];
  const contacts = `${prefixes[surface]}/contacts`;
  let path: string;
  let stored: string;
  const shown = async () => (await suite.posthorn.get(path)).text;
  beforeAll(async () => {
    const { body, status } = await suite.posthorn.post(contacts, {
      email: `known-${surface}@example.com`,
      [fields]: { a: 1 },
    });
    expect(status).toBe(201);
    path = `${contacts}/${surface === 'v1' ? body.id : body.data.id}`;
    stored = await shown();
  });
  afterEach(async () => expect(await shown()).toBe(stored));

  it('is unchanged by an empty patch', async () => {
    const answer = await suite.posthorn.request('PATCH', path, {});
    expect([answer.status, answer.text]).toEqual([200, stored]);
  });

  it.each([
    ['its address', { email: 'other@example.com' }, [['email', 'unknown_field']]],
    [
      'its own address',
      { email: `known-${surface}@example.com`, subscribed: false },
      [['email', 'unknown_field']],
    ],
    ['its id', { id: '019b0000-0000-7000-8000-000000000001' }, [['id', 'unknown_field']]],
    ['a null flag', { subscribed: null }, [['subscribed', 'invalid_type']]],
    ['custom fields of depth 6', { [fields]: nested(6) }, [[fields, 'out_of_range']]],
    ['custom fields that are a list', { [fields]: [] }, [[fields, 'invalid_type']]],
    ['custom fields of more than 64 KiB', { [fields]: { b: 'x'.repeat(65_530) } }, [[fields, 'too_long']]],
  ] as [string, object, [string, string][]][])('refuses a patch of %s', async (_, body, errors) => {
    const here = errors.map(([name, code]) => [pointerOn(surface, `/${name}`), code] as const);
    expectRefusal(await suite.posthorn.request('PATCH', path, body), surface, path, {
      status: 422,
      errors: here,
    });
  });

  it('is not created twice, whatever the case of its address', async () => {
    for (const email of [`known-${surface}@example.com`, ` KNOWN-${surface.toUpperCase()}@EXAMPLE.com `]) {
      const refusal = { status: 409, code: 'conflict', detail: 'A contact with this email already exists' };
      expectRefusal(
        await suite.posthorn.post(contacts, { email, subscribed: false }),
        surface,
        contacts,
        refusal,
      );
    }
  });
});

describe('custom fields at their limits', () => {
  it('are stored: JSON text on v1, 64 KiB, depth 5, and names such as constructor', async () => {
    const accepted: [string, unknown, string][] = [
      ['text@example.com', '{"a":1}', '{"a":1}'],
      ['size@example.com', { a: 'x'.repeat(65_528) }, `{"a":"${'x'.repeat(65_528)}"}`],
      ['depth@example.com', nested(5), JSON.stringify(nested(5))],
      ['names@example.com', '{"__proto__":{"b":1},"constructor":1}', '{"__proto__":{"b":1},"constructor":1}'],
    ];
    for (const [email, custom_fields, shown] of accepted) {
      const { status, body } = await suite.posthorn.post('/api/v1/contacts', { email, custom_fields });
      expect([status, body.custom_fields]).toEqual([201, shown]);
    }
  });
});

describe.each(surfaces)('a search on %s', (surface) => {
  beforeAll(async () => {
    for (const email of ['per%cent@example.com', 'per_cent@example.com', 'percent@example.com'])
      expect((await suite.posthorn.post('/api/v1/contacts/upsert', { email })).status).toBe(200);
  });

  it.each([
    ['%', ['per%cent@example.com']],
    ['_', ['per_cent@example.com']],
    ['r%c', ['per%cent@example.com']],
    ['r_c', ['per_cent@example.com']],
    ['per%cent@example.com', ['per%cent@example.com']],
    ['PERCENT@', ['percent@example.com']],
    ['\\', []],
    ['percent\\', []],
    ['per\\%cent', []],
    ["'", []],
    ['per%%cent', []],
    ['.*', []],
  ])('for %j finds only that text', async (search, found) => {
    const { status, body } = await suite.posthorn.get(
      `${prefixes[surface]}/contacts?search=${encodeURIComponent(search)}`,
    );
    const items: { email: string }[] = surface === 'v1' ? body.data : body.data.items;
    expect([status, items.map(({ email }) => email)]).toEqual([200, found]);
  });
});

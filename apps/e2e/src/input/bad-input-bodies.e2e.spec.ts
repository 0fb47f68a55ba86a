import { afterEach, describe, expect, it } from '@jest/globals';
import { refuseUndescribed } from '../testing/described.js';
import {
  expectNothingStored,
  expectRefusal,
  pointerOn,
  prefixes,
  surfaces,
  withPosthorn,
  type Refusal,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const notJson = 'The body is not valid JSON';
const notUtf8 = 'The body is not valid UTF-8';
const twice = 'The body names a member of one object twice';
const notAnObject = 'The body must be a JSON object';
const missing = 'A body is required';
const wrongType = 'The body must be application/json in UTF-8';

const withSubject = (subject: string) => `{"to":"ada@example.com","subject":"${subject}","body":"<p>Hi</p>"}`;
const withMember = (member: string) => `{"to":"ada@example.com","subject":"Hi","body":"<p>Hi</p>",${member}}`;
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(...part)))),
  );
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
const nested = (depth: number) => `{"metadata":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const pretty = (size: number) => withMember(`"text":"${'x'.repeat(size)}"`);

const unreadable: [string, string | Uint8Array, Refusal][] = [
  ['broken JSON', '{"to":', { status: 400, detail: notJson }],
  ['a trailing comma', '{"to":"ada@example.com",}', { status: 400, detail: notJson }],
  ['two documents', `${withSubject('a')}${withSubject('b')}`, { status: 400, detail: notJson }],
  ['a byte order mark', `\ufeff${withSubject('a')}`, { status: 400, detail: notJson }],
  ['a raw NUL in a text', withSubject('a\u0000b'), { status: 400, detail: notJson }],
  ['a raw line end in a text', withSubject('a\nb'), { status: 400, detail: notJson }],
  ['NaN', withMember('"metadata":{"a":NaN}'), { status: 400, detail: notJson }],
  ['a form', 'to=ada%40example.com', { status: 400, detail: notJson }],
  ['a byte that is not UTF-8', bytes(withSubject('a').slice(0, -2), [0xff], '"}'), { status: 400, detail: notUtf8 }],
  ['a raw lone surrogate', bytes('{"to":"ada@example.com","subject":"', [0xed, 0xa0, 0x80], '","body":"b"}'), { status: 400, detail: notUtf8 }],
  ['an overlong NUL', bytes('{"to":"ada@example.com","subject":"', [0xc0, 0x80], '","body":"b"}'), { status: 400, detail: notUtf8 }],
  ['a member named twice', withMember('"to":"bob@example.com"'), { status: 400, detail: twice }],
  ['a member named twice, once with an escape', withMember('"t\\u006f":"bob@example.com"'), { status: 400, detail: twice }],
  ['a member named twice below', withMember('"metadata":{"a":"1","a":"2"}'), { status: 400, detail: twice }],
  ['a list', `[${withSubject('a')}]`, { status: 422, detail: notAnObject }],
  ['a text', '"hello"', { status: 422, detail: notAnObject }],
  ['a number', '7', { status: 422, detail: notAnObject }],
  ['null', 'null', { status: 422, detail: notAnObject }],
  ['nothing', '', { status: 422, detail: missing }],
]; // prettier-ignore

const members: [string, string, [pointer: string, code: string][]][] = [
  ['an escaped NUL', withSubject('a\\u0000b'), [['/subject', 'invalid_text']]],
  ['an escaped NUL in a name', withMember('"a\\u0000":1'), [['/', 'invalid_text']]],
  ['an escaped NUL in a name below', withMember('"metadata":{"b":"1","a\\u0000":"1"}'), [['/metadata/', 'invalid_text']]],
  ['an escaped lone surrogate', withSubject('a\\ud800b'), [['/subject', 'invalid_text']]],
  ['two low surrogates', withSubject('\\udc00\\udc00'), [['/subject', 'invalid_text']]],
  ['a lone surrogate at the end', withSubject('a\\ud83d'), [['/subject', 'invalid_text']]],
  ['a number of 140 000 digits', withMember('"metadata":{"a":1e140000}'), [['/metadata/a', 'out_of_range']]],
  ['__proto__', withMember('"__proto__":{"to":"eve@example.com"}'), [['/__proto__', 'unknown_field']]],
  ['constructor', withMember('"constructor":{"prototype":{}}'), [['/constructor', 'unknown_field']]],
  ['only __proto__', `{"__proto__":${withSubject('a')}}`, [['/__proto__', 'unknown_field'], ['/to', 'required'], ['/subject', 'required'], ['/body', 'required']]],
  ['an object as __proto__ of metadata', withMember('"metadata":{"__proto__":{"a":"b"}}'), [['/metadata/__proto__', 'invalid_type']]],
  ['1 001 members of one object', withMember(`"metadata":${keys(1_001)}`), [['/metadata', 'out_of_range']]],
  ['1 MB with 100 000 members', keys(100_000), [['', 'out_of_range']]],
  ['30 000 entries of a list', withMember(`"tags":[${'"a",'.repeat(30_000)}"a"]`), [['', 'out_of_range']]],
  ['depth 5 000', nested(5_000), [[`/metadata${'/0'.repeat(31)}`, 'out_of_range']]],
]; // prettier-ignore

describe.each(surfaces)('a body on %s, refused with nothing stored', (surface) => {
  afterEach(() => expectNothingStored(suite.posthorn));
  const path = `${prefixes[surface]}/emails`;

  it.each(unreadable)('that is or has %s', async (_, body, refusal) => {
    expectRefusal(await suite.posthorn.post(path, body), surface, path, refusal);
  });

  it.each(members)('with %s', async (_, body, errors) => {
    const here = errors.map(([pointer, code]) => [pointerOn(surface, pointer), code] as const);
    expectRefusal(await suite.posthorn.post(path, body), surface, path, { status: 422, errors: here });
  });

  it('that is absent', async () => {
    expectRefusal(await suite.posthorn.post(path, undefined), surface, path, {
      status: 422,
      detail: missing,
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=iso-8859-1', 'application/jsonp', ''])(
    'of the content type %j',
    async (type) => {
      const answer = await suite.posthorn.post(path, withSubject('a'), { 'content-type': type });
      expectRefusal(answer, surface, path, { status: 415, detail: wrongType });
    },
  ); // prettier-ignore

  it.each([
    ['announced', () => pretty(15 * 1024 * 1024)],
    ['in chunks', () => new Blob([pretty(15 * 1024 * 1024)]).stream()],
  ])('over 15 MiB, %s', async (_, body) => {
    const answer = await fetch(`${suite.posthorn.dev.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${suite.posthorn.dev.secretKey}`,
        'content-type': 'application/json',
      },
      body: body(),
      duplex: 'half',
    } as RequestInit);
    const text = await answer.text();
    const published = {
      status: answer.status,
      headers: answer.headers,
      text,
      body: JSON.parse(text) as object,
    };
    refuseUndescribed({ method: 'POST', path }, published);
    expectRefusal(published, surface, path, {
      status: 413,
      detail: 'The body is larger than 15728640 bytes',
    });
  });

  it('over 1 MiB on a route that does not send', async () => {
    const long = 'x'.repeat(1024 * 1024);
    for (const [path, body] of [
      ['contacts', { email: long }],
      [
        'contacts/bulk',
        {
          contacts: [
            { email: 'ada@example.com', [surface === 'v1' ? 'custom_fields' : 'customFields']: { long } },
          ],
        },
      ],
    ] as const) {
      const route = `${prefixes[surface]}/${path}`;
      const refusal = { status: 413, detail: 'The body is larger than 1048576 bytes' };
      expectRefusal(await suite.posthorn.post(route, body), surface, route, refusal);
    }
  });
});

describe('bodies made to block the event loop', () => {
  it('are refused while the gateway serves other requests', async () => {
    const bodies = [keys(100_000), nested(5_000), withMember(`"metadata":${keys(1_001)}`)];
    const slowestOfRounds: number[] = [];
    const quick = () => slowestOfRounds.some((ms) => ms < 1_500);
    // A busy machine delays one request by itself, but not in every round.
    while (slowestOfRounds.length < 4 && !quick()) {
      const refusals = Promise.all(
        Array.from({ length: 30 }, (_, index) => suite.posthorn.post('/api/v1/emails', bodies[index % 3])),
      );
      const took: number[] = [];
      for (let requested = 0; requested < 10; requested += 1) {
        const began = performance.now();
        expect((await suite.posthorn.get('/api/v1/contacts')).status).toBe(200);
        took.push(performance.now() - began);
      }
      slowestOfRounds.push(Math.max(...took));
      expect(new Set((await refusals).map(({ status }) => status))).toEqual(new Set([422]));
    }
    expect(quick() || slowestOfRounds).toBe(true);
    await expectNothingStored(suite.posthorn);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn();
const malformed = { status: 422, detail: 'the cursor is malformed' };
const otherFilters = { status: 422, detail: 'the cursor was issued for a different set of filters' };
const nouns = ['emails', 'contacts'] as const;
type Noun = (typeof nouns)[number];

const filters: Readonly<Record<Noun, Record<string, string>[]>> = {
  emails: [{ tag: 'a' }, { status: 'SENT' }, { to: 'one@example.com' }],
  contacts: [{ search: 'o' }, { subscribed: 'true' }],
};
const parameters: Readonly<Record<Surface, string>> = { v1: 'after', legacy: 'cursor' };
const path = (surface: Surface, noun: Noun, query: Record<string, string>) =>
  `${prefixes[surface]}/${noun}?${new URLSearchParams(query).toString()}`;
const cursorOf = ({ body }: Answer): string | null =>
  body.next_cursor ?? body.nextCursor ?? body.data.nextCursor ?? null;
const idsOf = ({ body }: Answer): string[] =>
  (body.data.items ?? body.data).map(({ id }: { id: string }) => id);

let outsider: string;

beforeAll(async () => {
  const project = await suite.operator('projects', 'create', '--name', 'Another');
  outsider = (await suite.operator('keys', 'create', '--name', 'theirs', '--project', project['id']!))[
    'token'
  ]!;
  for (const name of ['one', 'two', 'three']) {
    await suite.posthorn.post('/api/v1/contacts', { email: `${name}@example.com` });
    const sent = await suite.posthorn.post('/api/v1/emails', {
      to: `${name}@example.com`,
      subject: name,
      body: name,
      tags: ['a'],
    });
    expect(sent.status).toBe(202);
  }
});

describe.each(surfaces.flatMap((surface) => nouns.map((noun) => [surface, noun] as const)))(
  'a cursor of %s %s',
  (surface, noun) => {
    const cursorParameter = parameters[surface];
    let cursor: string;
    const withCursor = (value: string, more: Record<string, string> = {}) =>
      path(surface, noun, { ...more, [cursorParameter]: value });
    beforeAll(async () => {
      cursor = cursorOf(await suite.posthorn.get(path(surface, noun, { limit: '1' })))!;
    });

    it('continues after the last page, whatever the new limit', async () => {
      const all = idsOf(await suite.posthorn.get(path(surface, noun, {})));
      expect(idsOf(await suite.posthorn.get(withCursor(cursor, { limit: '2' })))).toEqual(all.slice(1, 3));
    });

    it.each(['', 'x', 'null', '0', '../../etc/passwd', "' OR 1=1 --", '\u0000', '💌', 'A'.repeat(71), 'A'.repeat(6_000)])(
    'that is %j is malformed',
    async (value) => {
      const location = withCursor(value);
      expectRefusal(await suite.posthorn.get(location), surface, location, malformed);
    },
  ); // prettier-ignore

    it('with a changed, missing or additional character is malformed', async () => {
      const changed = [...cursor].map(
        (letter, at) => `${cursor.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
      );
      for (const value of [
        ...changed,
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
        cursor.slice(1),
      ]) {
        const location = withCursor(value);
        expectRefusal(await suite.posthorn.get(location), surface, location, malformed);
      }
    });

    it('is refused with other filters', async () => {
      for (const filter of filters[noun]) {
        const location = withCursor(cursor, filter);
        expectRefusal(await suite.posthorn.get(location), surface, location, otherFilters);
        const filtered = cursorOf(await suite.posthorn.get(path(surface, noun, { limit: '1', ...filter })));
        if (filtered === null) continue;
        const back = withCursor(filtered);
        expectRefusal(await suite.posthorn.get(back), surface, back, otherFilters);
      }
    });

    it('is refused on another route, surface or project', async () => {
      const other = nouns.find((name) => name !== noun)!;
      const away: [Surface, string][] = [[surface, path(surface, other, { [cursorParameter]: cursor })]];
      for (const second of surfaces.filter((name) => name !== surface))
        away.push([second, path(second, noun, { [parameters[second]]: cursor })]);
      for (const [where, location] of away)
        expectRefusal(await suite.posthorn.get(location), where, location, otherFilters);
      const target = withCursor(cursor);
      expectRefusal(
        await suite.posthorn.get(target, { authorization: `Bearer ${outsider}` }),
        surface,
        target,
        otherFilters,
      );
    });

    it('may be given once, under the name of its surface', async () => {
      const twice = `${withCursor(cursor)}&${cursorParameter}=${cursor}`;
      const there = [[pointerOn(surface, `/${cursorParameter}`), 'not_allowed']] as const;
      expectRefusal(await suite.posthorn.get(twice), surface, twice, { status: 422, errors: there });
      const name = surface === 'v1' ? 'cursor' : 'after';
      const misnamed = path(surface, noun, { [name]: cursor });
      const errors = [[pointerOn(surface, `/${name}`), 'unknown_field']] as const;
      expectRefusal(await suite.posthorn.get(misnamed), surface, misnamed, { status: 422, errors });
    });
  },
);

describe.each(surfaces)('a query on %s', (surface) => {
  const refused: [place: string, query: string, code: string, name: string][] = [
    ...['-1', '0', '101', 'NaN', '1e3', '99999999999999999999', '', '1.5', '%2B5', '05', '0x10', '%205', 'Infinity', '1%00'].flatMap((limit) =>
      nouns.map((noun): [string, string, string, string] => [noun, `limit=${limit}`, 'out_of_range', 'limit'])), // prettier-ignore
    ['emails', 'limit=1&limit=2', 'not_allowed', 'limit'],
    ['emails', 'tag=a&tag=b', 'not_allowed', 'tag'],
    ['emails', 'limit[]=1', 'unknown_field', 'limit[]'],
    ['emails', 'page=2', 'unknown_field', 'page'],
    ['emails', 'search=a', 'unknown_field', 'search'],
    ['emails', '__proto__=1', 'unknown_field', '__proto__'],
    ['emails', 'constructor=1', 'unknown_field', 'constructor'],
    ['emails', 'tag=%00', 'invalid_text', 'tag'],
    ['emails', 'tag=a%20b', 'invalid_format', 'tag'],
    ['emails', 'status=sent', 'not_allowed', 'status'],
    ['emails', 'to=x', 'invalid_format', 'to'],
    ['emails', 'to=ada@example.com%0d%0a', 'invalid_format', 'to'],
    ['emails', `from=${'x'.repeat(6_000)}@example.com`, 'invalid_format', 'from'],
    ['contacts', 'search=', 'too_short', 'search'],
    ['contacts', `search=${'x'.repeat(255)}`, 'too_long', 'search'],
    ['contacts', 'search=%00', 'invalid_text', 'search'],
    ['contacts', 'subscribed=1', 'invalid_type', 'subscribed'],
    [`emails`, surface === 'v1' ? 'createdAfter=2026-01-01T00:00:00Z' : 'created_after=2026-01-01T00:00:00Z', 'unknown_field', surface === 'v1' ? 'createdAfter' : 'created_after'],
    ...['now', 'infinity', 'yesterday', '300000-01-01', '300000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', '1e3', '', '%00'].map((instant): [string, string, string, string] => {
      const name = surface === 'v1' ? 'created_before' : 'createdBefore';
      return ['emails', `${name}=${instant}`, 'invalid_format', name];
    }),
    ...(['now', 'infinity', 'yesterday', '300000-01-01', '2026-02-30', '1e3'] as const).flatMap((day) => {
      const names = surface === 'v1' ? ['from', 'to'] : ['startDate', 'endDate'];
      return names.map((name): [string, string, string, string] => ['analytics/timeseries', `${name}=${day}`, 'invalid_format', name]);
    }),
    ['analytics/timeseries', 'limit=1', 'unknown_field', 'limit'],
    ...(surface === 'v1' ? ['startDate', 'start_date'] : ['from', 'to']).map((name): [string, string, string, string] => ['analytics/timeseries', `${name}=2026-01-01`, 'unknown_field', name]),
  ]; // prettier-ignore

  it.each(refused.map(([noun, query, code, name]) => [`${noun}?${query}`.slice(0, 60), { noun, query, code, name }] as const))(
    'is refused: %s',
    async (_, { noun, query, code, name }) => {
      const location = `${prefixes[surface]}/${noun}?${query}`;
      expectRefusal(await suite.posthorn.get(location), surface, location, { status: 422, errors: [[pointerOn(surface, `/${name}`), code]] });
    },
  ); // prettier-ignore

  it('is refused with all its failures at once', async () => {
    const location = `${prefixes[surface]}/emails?limit=0&page=2&status=sent`;
    const errors = [['/limit', 'out_of_range'], ['/page', 'unknown_field'], ['/status', 'not_allowed']] as const; // prettier-ignore
    const here = errors.map(([pointer, code]) => [pointerOn(surface, pointer), code] as const);
    expectRefusal(await suite.posthorn.get(location), surface, location, { status: 422, errors: here });
  });

  it('is refused if its range ends before it starts', async () => {
    const [from, to] = surface === 'v1' ? ['from', 'to'] : ['startDate', 'endDate'];
    const location = `${prefixes[surface]}/analytics/timeseries?${from}=2026-02-02&${to}=2026-02-01`;
    expectRefusal(await suite.posthorn.get(location), surface, location, {
      status: 422,
      errors: [[pointerOn(surface, `/${from}`), 'out_of_range']],
    });
  });

  it('accepts the greatest limit', async () => {
    for (const noun of nouns)
      expect((await suite.posthorn.get(`${prefixes[surface]}/${noun}?limit=100`)).status).toBe(200);
  });
});

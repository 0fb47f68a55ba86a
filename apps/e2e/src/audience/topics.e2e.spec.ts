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
const build = async (key: string, more: object = {}): Promise<string> => {
  const { status, body, text } = await suite.posthorn.post('/api/v1/topics', { key, name: key, ...more });
  if (status !== 201) throw new Error(text);
  return body.id;
};
const contact = async (email: string): Promise<string> =>
  (await suite.posthorn.post('/api/v1/contacts', { email })).body.id;

describe('a topic', () => {
  it('is created, read, listed and changed on both surfaces, and hidden when it is archived', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post('/api/v1/topics', { key: 'product-news', name: 'Product news' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        key: 'product-news',
        name: 'Product news',
        description: null,
        default_opt_in: true,
        archived: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const { id } = made.body;
    const other = await posthorn.post('/api/topics', { key: 'offers', name: 'Offers', defaultOptIn: false });
    expect([other.status, other.body]).toMatchObject([
      201,
      { success: true, data: { key: 'offers', defaultOptIn: false, projectId: expect.any(String) } },
    ]);
    const changed = await posthorn.request('PATCH', `/api/topics/${id}`, {
      name: 'News',
      description: 'Once a month',
    });
    expect(changed.body.data).toMatchObject({
      key: 'product-news',
      name: 'News',
      description: 'Once a month',
    });
    expect((await posthorn.request('PATCH', `/api/v1/topics/${id}`, {})).body).toMatchObject({
      name: 'News',
    });
    const keysOf = async (query = '') =>
      (await posthorn.get(`/api/v1/topics${query}`)).body.data.map(({ key }: { key: string }) => key);
    expect(await keysOf()).toEqual(['offers', 'product-news']);
    expect((await posthorn.get('/api/topics')).body.data).toMatchObject({
      items: [{ key: 'offers' }, { key: 'product-news' }],
      total: 2,
    });
    const archived = await posthorn.request('PATCH', `/api/v1/topics/${id}`, { archived: true });
    expect([archived.status, archived.body.archived]).toEqual([200, true]);
    expect([await keysOf(), await keysOf('?archived=true')]).toEqual([['offers'], ['product-news']]);
    expect((await posthorn.get(`/api/v1/topics/${id}`)).body.archived).toBe(true);
    expect((await posthorn.request('DELETE', `/api/v1/topics/${id}`)).status).toBe(405);
    await posthorn.request('PATCH', `/api/v1/topics/${id}`, { archived: false });
  });

  it.each(surfaces)('is refused where it does not fit, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/topics`;
    const id = await build(`fixed-${surface}`);
    const optIn = surface === 'v1' ? 'default_opt_in' : 'defaultOptIn';
    for (const [body, member, code] of [
      [{ key: 'a' }, 'name', 'required'],
      [{ name: 'A' }, 'key', 'required'],
      ...['News', 'ä', '-news', 'two words', ''].map((key) => [
        { key, name: 'A' },
        'key',
        expect.any(String),
      ]),
      [{ key: 'x'.repeat(65), name: 'A' }, 'key', expect.any(String)],
      [{ key: 'a', name: 'x'.repeat(101) }, 'name', 'too_long'],
      [{ key: 'a', name: 'A', description: 'x'.repeat(501) }, 'description', 'too_long'],
      [{ key: 'a', name: 'A', [optIn]: 'yes' }, optIn, 'invalid_type'],
    ] as const)
      expectRefusal(await posthorn.post(path, body), surface, path, {
        status: 422,
        errors: [[pointerOn(surface, `/${member as string}`), code as string]],
      });
    expectRefusal(await posthorn.post(path, { key: `fixed-${surface}`, name: 'A' }), surface, path, {
      status: 409,
      code: 'conflict',
      detail: 'A topic with this key already exists',
    });
    const one = `${path}/${id}`;
    expectRefusal(await posthorn.request('PATCH', one, { key: 'another' }), surface, one, {
      status: 422,
      errors: [[pointerOn(surface, '/key'), 'unknown_field']],
    });
    expect((await posthorn.get(`${path}/${randomId}`)).status).toBe(404);
    expect((await posthorn.get(`${path}/x`)).status).toBe(404);
  });
});

describe('the topics of a contact', () => {
  it('are the defaults until the contact chooses, and each choice has a consent', async () => {
    const { posthorn } = suite;
    await build('weekly', { name: 'A weekly' });
    await build('rare', { name: 'B rare', default_opt_in: false });
    const id = await contact('ada@example.org');
    const path = `/api/v1/contacts/${id}/topics`;
    const two = async () =>
      (await posthorn.get(path)).body.data.filter(({ key }: { key: string }) => /weekly|rare/.test(key));
    expect(await two()).toEqual([
      { topic_id: expect.any(String), key: 'weekly', name: 'A weekly', opted_in: true, source: 'DEFAULT', updated_at: null },
      { topic_id: expect.any(String), key: 'rare', name: 'B rare', opted_in: false, source: 'DEFAULT', updated_at: null },
    ]); // prettier-ignore
    const put = await posthorn.request('PUT', path, { topics: { weekly: false, rare: true } });
    expect([put.status, put.body]).toEqual([200, (await posthorn.get(path)).body]);
    expect(await two()).toMatchObject([
      { opted_in: false, source: 'API', updated_at: expect.any(String) },
      { opted_in: true, source: 'API', updated_at: expect.any(String) },
    ]);
    const again = await posthorn.request('PUT', `/api/contacts/${id}/topics`, { topics: { weekly: false } });
    expect([again.status, again.body.success, again.body.data.data]).toMatchObject([
      200,
      true,
      expect.arrayContaining([expect.objectContaining({ key: 'weekly', optedIn: false, source: 'API' })]),
    ]);
    const consents = (await posthorn.get(`/api/v1/contacts/${id}/consents`)).body.data;
    const ofTopics = consents.filter(({ topic_id }: { topic_id: string | null }) => topic_id !== null);
    expect(ofTopics).toHaveLength(2);
    expect(ofTopics).toEqual(
      expect.arrayContaining(
        [false, true].map((after) =>
          expect.objectContaining({ before: null, after, source: 'API', actor: expect.anything() }),
        ),
      ),
    );
    const kinds = (await posthorn.get(`/api/v1/contacts/${id}/activity`)).body.data.map(
      ({ kind, data }: { kind: string; data: { topic_name?: string } }) => [kind, data.topic_name],
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['topic.opted_out', 'A weekly'],
        ['topic.opted_in', 'B rare'],
      ]),
    );
    const { topics } = (await posthorn.get(`/api/v1/contacts/${id}/data`)).body;
    expect(topics).toEqual(
      expect.arrayContaining([expect.objectContaining({ key: 'weekly', opted_in: false, source: 'API' })]),
    );
  });

  it.each(surfaces)(
    'are unchanged where one of them is unknown, archived or unreadable, on %s',
    async (surface) => {
      const { posthorn } = suite;
      await build(`kept-${surface}`);
      await build(`gone-${surface}`, { archived: true });
      const id = await contact(`bob-${surface}@example.org`);
      const path = `${prefixes[surface]}/contacts/${id}/topics`;
      const known = { [`kept-${surface}`]: false };
      for (const [topics, errors] of [
        [{ ...known, nothing: true }, [['/topics/nothing', 'not_found']]],
        [{ ...known, [`gone-${surface}`]: true }, [[`/topics/gone-${surface}`, 'not_found']]],
        [{ ...known, Kept: true }, [['/topics/Kept', 'not_found']]],
        [{ [`kept-${surface}`]: 'no' }, [[`/topics/kept-${surface}`, 'invalid_type']]],
        [{ [`kept-${surface}`]: null }, [[`/topics/kept-${surface}`, 'invalid_type']]],
        [[], [['/topics', 'invalid_type']]],
      ] as const)
        expectRefusal(await posthorn.request('PUT', path, { topics }), surface, path, {
          status: 422,
          errors: errors.map(([place, code]) => [pointerOn(surface, place), code] as const),
        });
      expect((await posthorn.request('PUT', path, {})).status).toBe(422);
      const { body } = await posthorn.get(`/api/v1/contacts/${id}/topics`);
      expect(body.data.map(({ source }: { source: string }) => source)).not.toContain('API');
      expect((await posthorn.request('PUT', path, { topics: {} })).status).toBe(200);
      const nobody = `${prefixes[surface]}/contacts/${randomId}/topics`;
      for (const answer of [
        await posthorn.get(nobody),
        await posthorn.request('PUT', nobody, { topics: known }),
      ])
        expectRefusal(answer, surface, nobody, {
          status: 404,
          code: 'resource_not_found',
          detail: 'No such contact',
        });
    },
  );

  it('need the scopes of contacts, and topics their own', async () => {
    const { posthorn } = suite;
    const { token } = await suite.operator(
      'keys',
      'create',
      '--name',
      'reads',
      '--scopes',
      'topics:read,contacts:read',
    );
    const key = { authorization: `Bearer ${token}` };
    const id = await contact('cy@example.org');
    expect((await posthorn.get('/api/v1/topics', key)).status).toBe(200);
    expect((await posthorn.get(`/api/v1/contacts/${id}/topics`, key)).status).toBe(200);
    expect((await posthorn.post('/api/v1/topics', { key: 'a', name: 'A' }, key)).status).toBe(403);
    expect((await posthorn.request('PUT', `/api/v1/contacts/${id}/topics`, { topics: {} }, key)).status).toBe(
      403,
    );
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectRefusal,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const ofPlan = (plan: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: plan }] }],
});
const isMember = (id: string) => ({
  logic: 'OR',
  groups: [{ filters: [{ field: `segment.${id}`, operator: 'isMemberOf' }] }],
});

beforeAll(async () => {
  for (const [name, plan] of [['ada', 'pro'], ['grace', 'pro'], ['joan', 'free']]) {
    await suite.posthorn.post('/api/v1/contacts', { email: `${name}@example.com`, custom_fields: { plan } });
  }
}); // prettier-ignore

describe('segments on v1', () => {
  it('are previewed, created, listed, filtered, updated and deleted', async () => {
    const { posthorn } = suite;
    const preview = await posthorn.post('/api/v1/segments/preview', { condition: ofPlan('pro') });
    expect([preview.status, preview.body]).toEqual([
      200,
      {
        count: 2,
        sample: expect.arrayContaining([
          expect.objectContaining({ email: 'ada@example.com', custom_fields: '{"plan":"pro"}' }),
        ]),
        excluded_by: [{ path: '/groups/0/filters/0', count: 1 }],
        cost: { upkeep: 'LIVE', measured_ms: expect.any(Number) },
      },
    ]);
    const made = await posthorn.post('/api/v1/segments', {
      name: 'Pro plan',
      type: 'DYNAMIC',
      condition: ofPlan('pro'),
    });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String), name: 'Pro plan', description: null, type: 'DYNAMIC', condition: ofPlan('pro'), track_membership: false,
        member_count: 2, upkeep: 'LIVE', created_at: expect.any(String), updated_at: expect.any(String),
      },
    ]); // prettier-ignore
    const path = `/api/v1/segments/${made.body.id}`;
    expect((await posthorn.get(path)).body).toEqual(made.body);
    const members = await posthorn.get(`${path}/contacts?limit=1`);
    expect([members.body.data.length, members.body.has_more]).toEqual([1, true]);
    const rest = await posthorn.get(`${path}/contacts?after=${members.body.next_cursor}`);
    expect(
      [...members.body.data, ...rest.body.data].map(({ email }: { email: string }) => email).sort(),
    ).toEqual(['ada@example.com', 'grace@example.com']);
    const narrowed = await posthorn.get(`/api/v1/contacts?segment_id=${made.body.id}`);
    expect(narrowed.body.data).toHaveLength(2);
    const changed = await posthorn.request('PATCH', path, {
      condition: ofPlan('free'),
      description: 'No longer pro',
    });
    expect([changed.status, changed.body.member_count, changed.body.description]).toEqual([
      200,
      1,
      'No longer pro',
    ]);
    const user = await posthorn.post('/api/v1/segments', {
      name: 'Above',
      type: 'DYNAMIC',
      condition: isMember(made.body.id),
    });
    expect(user.body.member_count).toBe(1);
    expectRefusal(await posthorn.request('DELETE', path), 'v1', path, {
      status: 409,
      code: 'conflict',
      detail: 'Other segments use this one: Above. Change or delete them first',
    });
    for (const id of [user.body.id, made.body.id]) {
      const removed = await posthorn.request('DELETE', `/api/v1/segments/${id}`);
      expect([removed.status, removed.body]).toEqual([200, { id, deleted: true }]);
    }
  });
});

describe('STATIC segments', () => {
  it.each(surfaces)('take and lose contacts by address on %s', async (surface) => {
    const { posthorn } = suite;
    const made = await posthorn.post(`${prefixes[surface]}/segments`, {
      name: `Hand-picked ${surface}`,
      type: 'STATIC',
    });
    const { id } = surface === 'v1' ? made.body : made.body.data;
    const path = `${prefixes[surface]}/segments/${id}/members`;
    const names: Record<Surface, [string, string]> = {
      v1: ['create_missing', 'not_found'],
      legacy: ['createMissing', 'notFound'],
    };
    const [createMissing, notFound] = names[surface];
    const published = ({ body }: { body: Record<string, unknown> }) =>
      surface === 'v1' ? body : body['data'];
    const first = await posthorn.post(path, { emails: ['ADA@example.com', `new-${surface}@example.com`] });
    expect([first.status, published(first)]).toEqual([
      200,
      { added: 1, created: 0, [notFound]: [`new-${surface}@example.com`] },
    ]);
    const second = await posthorn.post(path, {
      emails: [`new-${surface}@example.com`],
      [createMissing]: true,
    });
    expect(published(second)).toEqual({ added: 1, created: 1, [notFound]: [] });
    const removed = await posthorn.request('DELETE', path, { emails: ['ada@example.com'] });
    expect([removed.status, removed.body]).toEqual([
      200,
      surface === 'v1' ? { removed: 1 } : { success: true },
    ]);
    const one = await posthorn.get(`${prefixes[surface]}/segments/${id}`);
    expect(surface === 'v1' ? one.body.member_count : one.body.data.memberCount).toBe(1);
  });
});

const nested = (depth: number): object =>
  depth === 1 ? ofPlan('pro') : { logic: 'AND', groups: [{ filters: [], conditions: nested(depth - 1) }] };
const one = (filter: object) => ({ logic: 'AND', groups: [{ filters: [filter] }] });
const [filter] = ofPlan('pro').groups[0]!.filters;
const first = '/condition/groups/0/filters/0';
const refused: [string, unknown, (readonly [string, string])[]][] = [
  ['a string', 'everybody', [['/condition', 'invalid_type']]],
  ['depth 6', nested(6), [[`/condition${'/groups/0/conditions'.repeat(5)}`, 'out_of_range']]],
  ['depth 9', nested(9), [['/condition', 'out_of_range']]],
  ['101 filters', { logic: 'AND', groups: [{ filters: Array.from({ length: 101 }, () => filter) }] }, [['/condition', 'too_long']]],
  ['no groups', { logic: 'AND', groups: [] }, [['/condition/groups', 'too_short']]],
  ['an unknown field', one({ field: 'plan', operator: 'equals', value: 'pro' }), [[`${first}/field`, 'not_allowed']]],
  ['an operator that does not fit the field', one({ field: 'subscribed', operator: 'contains', value: true }), [[`${first}/operator`, 'not_allowed']]],
  ['a span without a unit', one({ field: 'createdAt', operator: 'within', value: 1 }), [[`${first}/unit`, 'required']]],
  ['a span of zero', one({ field: 'createdAt', operator: 'within', value: 0, unit: 'days' }), [[`${first}/value`, 'out_of_range']]],
  ['a path with SQL', one({ field: 'customFields.a->b', operator: 'exists' }), [[`${first}/field`, 'invalid_format']]],
  ['an unknown segment', isMember(randomId), [[`${first}/field`, 'not_found']]],
  ['unknown members', { ...ofPlan('pro'), sql: '1=1' }, [['/condition/sql', 'unknown_field']]],
]; // prettier-ignore

describe.each(surfaces)('a condition on %s', (surface) => {
  const pointerOf = (pointer: string) => (surface === 'v1' ? pointer : pointer.slice(1).replaceAll('/', '.'));

  it.each(refused)('of %s is refused with its place', async (_, condition, errors) => {
    const here = errors.map(([pointer, code]) => [pointerOf(pointer), code] as const);
    for (const [path, body] of [
      [`${prefixes[surface]}/segments`, { name: 'Never', type: 'DYNAMIC', condition }],
      [`${prefixes[surface]}/segments/preview`, { condition }],
    ] as const) {
      expectRefusal(await suite.posthorn.post(path, body), surface, path, { status: 422, errors: here });
    }
  });

  it('that would create a cycle is refused and changes nothing', async () => {
    const segments = `${prefixes[surface]}/segments`;
    const make = async (name: string, condition: object) => {
      const { body } = await suite.posthorn.post(segments, {
        name: `${name} ${surface}`,
        type: 'DYNAMIC',
        condition,
      });
      return (surface === 'v1' ? body.id : body.data.id) as string;
    };
    const base = await make('Base', ofPlan('pro'));
    const above = await make('Top', isMember(base));
    const path = `${segments}/${base}`;
    const before = (await suite.posthorn.get(path)).text;
    const errors = [[pointerOf(`${first}/field`), 'not_allowed']] as const;
    for (const id of [above, base]) {
      expectRefusal(await suite.posthorn.request('PATCH', path, { condition: isMember(id) }), surface, path, {
        status: 422,
        errors,
      });
    }
    expect((await suite.posthorn.get(path)).text).toBe(before);
  });

  it('is required for a DYNAMIC segment, whose type cannot change', async () => {
    const path = `${prefixes[surface]}/segments`;
    const refusal = { status: 422, errors: [[pointerOf('/condition'), 'required']] } as const;
    expectRefusal(await suite.posthorn.post(path, { name: 'None', type: 'DYNAMIC' }), surface, path, refusal);
    const { body } = await suite.posthorn.post(path, { name: `Fixed ${surface}`, type: 'STATIC' });
    const one = `${path}/${surface === 'v1' ? body.id : body.data.id}`;
    const changed = await suite.posthorn.request('PATCH', one, { type: 'DYNAMIC' });
    expectRefusal(changed, surface, one, { status: 422, errors: [[pointerOf('/type'), 'unknown_field']] });
    const again = await suite.posthorn.post(path, { name: `fixed-${surface}`, type: 'STATIC' });
    expect([
      again.status,
      (surface === 'v1' ? again.body.code : again.body.error.code).toLowerCase(),
    ]).toEqual([409, 'conflict']);
  });
});

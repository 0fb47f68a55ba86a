import { describe, expect, it } from '@jest/globals';
import { type DomainError, type InvalidMember } from '@posthorn/contracts';
import { parseCondition, storedCondition } from './parse-condition.js';

const id = '01980a5c-1b2d-7c3e-8f40-00000000000a';
const one = (filter: unknown) => ({ logic: 'AND', groups: [{ filters: [filter] }] });
const subscribed = { field: 'subscribed', operator: 'equals', value: true };
const nested = (depth: number): object =>
  depth === 1 ? one(subscribed) : { logic: 'OR', groups: [{ conditions: nested(depth - 1) }] };

function faultsOf(given: unknown): [pointer: string, code: string, message: string][] {
  try {
    parseCondition(given);
  } catch (error) {
    const { errors = [] } = (error as DomainError).details as { errors?: InvalidMember[] };
    return errors.map(({ path, code, message }) => [`/${path.join('/')}`, code, message]);
  }
  return [];
}

const filterFault = (filter: unknown) =>
  faultsOf(one(filter)).map(([pointer, code]) => [
    pointer.replace('/condition/groups/0/filters/0', ''),
    code,
  ]);

describe('parsing a condition', () => {
  it('returns a tree whose filters have their paths', () => {
    const given = {
      logic: 'OR',
      groups: [
        { filters: [{ field: 'data.plan.name', operator: 'equals', value: 'pro' }] },
        { filters: [{ field: 'createdAt', operator: 'within', value: 1.5, unit: 'hours' }], conditions: one({ field: `segment.${id.toUpperCase()}`, operator: 'notMemberOfSegment', value: null }) },
      ],
    }; // prettier-ignore
    expect(parseCondition(given)).toEqual({
      logic: 'OR',
      groups: [
        {
          filters: [{ field: 'customField', path: ['plan', 'name'], operator: 'equals', value: { kind: 'text', text: 'pro' }, place: ['groups', '0', 'filters', '0'] }],
          conditions: null,
        },
        {
          filters: [{ field: 'createdAt', operator: 'within', spanMs: 5_400_000, place: ['groups', '1', 'filters', '0'] }],
          conditions: {
            logic: 'AND',
            groups: [{ filters: [{ field: 'segment', id, operator: 'isNotMemberOf', place: ['groups', '1', 'conditions', 'groups', '0', 'filters', '0'] }], conditions: null }],
          },
        },
      ],
    }); // prettier-ignore
  });

  it('accepts up to five levels and a hundred filters', () => {
    expect(faultsOf(nested(5))).toEqual([]);
    const deep = Array.from({ length: 5 }, () => '/groups/0/conditions').join('');
    expect(faultsOf(nested(6))).toEqual([
      [`/condition${deep}`, 'out_of_range', expect.stringContaining('deeper than 5')],
    ]);
    const many = (count: number) => ({
      logic: 'AND',
      groups: Array.from({ length: count / 2 }, () => ({ filters: [subscribed, subscribed] })),
    });
    expect(faultsOf(many(100))).toEqual([]);
    expect(faultsOf({ logic: 'AND', groups: [...many(100).groups, { filters: [subscribed] }] })).toEqual([
      ['/condition', 'too_long', expect.stringContaining('100 filters')],
    ]);
  });

  it.each([
    [null, '/condition', 'invalid_type'],
    [[], '/condition', 'invalid_type'],
    [{}, '/condition/logic', 'required'],
    [{ logic: 'XOR', groups: [{ filters: [subscribed] }] }, '/condition/logic', 'not_allowed'],
    [{ logic: 'AND' }, '/condition/groups', 'invalid_type'],
    [{ logic: 'AND', groups: [] }, '/condition/groups', 'too_short'],
    [{ logic: 'AND', groups: [{}] }, '/condition/groups/0/filters', 'too_short'],
    [{ logic: 'AND', groups: [7] }, '/condition/groups/0', 'invalid_type'],
    [{ logic: 'AND', groups: [{ filters: {} }] }, '/condition/groups/0/filters', 'invalid_type'],
    [{ logic: 'AND', groups: [{ filters: [subscribed] }], x: 1 }, '/condition/x', 'unknown_field'],
  ])('refuses %j', (given, pointer, code) => {
    expect(faultsOf(given).map(([where, what]) => [where, what])).toContainEqual([pointer, code]);
  });

  it.each<[object, string, string]>([
    [{ operator: 'equals', value: 1 }, '/field', 'required'],
    [{ field: 7, operator: 'equals', value: 1 }, '/field', 'invalid_type'],
    [{ field: 'plan', operator: 'equals', value: 1 }, '/field', 'not_allowed'],
    [{ field: 'constructor', operator: 'equals', value: 1 }, '/field', 'not_allowed'],
    [{ field: 'customFields', operator: 'exists' }, '/field', 'not_allowed'],
    [{ field: 'customFields.', operator: 'exists' }, '/field', 'invalid_format'],
    [{ field: 'customFields.a..b', operator: 'exists' }, '/field', 'invalid_format'],
    [{ field: "customFields.a'b", operator: 'exists' }, '/field', 'invalid_format'],
    [{ field: 'customFields.a.b.c.d.e.f', operator: 'exists' }, '/field', 'out_of_range'],
    [{ field: 'event.', operator: 'triggered' }, '/field', 'invalid_format'],
    [{ field: 'email.read', operator: 'triggered' }, '/field', 'not_allowed'],
    [{ field: 'segment.vip', operator: 'isMemberOf' }, '/field', 'invalid_format'],
    [{ field: 'email', value: 'a' }, '/operator', 'required'],
    [{ field: 'email', operator: 'greaterThan', value: 'a' }, '/operator', 'not_allowed'],
    [{ field: 'email', operator: 'toString', value: 'a' }, '/operator', 'not_allowed'],
    [{ field: 'subscribed', operator: 'contains', value: true }, '/operator', 'not_allowed'],
    [{ field: 'event.a', operator: 'within', value: 1, unit: 'days' }, '/operator', 'not_allowed'],
    [{ field: `list.${id}`, operator: 'equals', value: true }, '/operator', 'not_allowed'],
    [{ field: 'email', operator: 'equals' }, '/value', 'required'],
    [{ field: 'email', operator: 'equals', value: 7 }, '/value', 'invalid_type'],
    [{ field: 'subscribed', operator: 'equals', value: 'true' }, '/value', 'invalid_type'],
    [{ field: 'createdAt', operator: 'equals', value: 7 }, '/value', 'invalid_type'],
    [{ field: 'createdAt', operator: 'equals', value: 'yesterday' }, '/value', 'invalid_format'],
    [{ field: 'createdAt', operator: 'lessThan', value: '2026-02-29' }, '/value', 'invalid_format'],
    [{ field: 'createdAt', operator: 'within', value: 1 }, '/unit', 'required'],
    [{ field: 'createdAt', operator: 'within', value: 1, unit: 'weeks' }, '/unit', 'not_allowed'],
    [{ field: 'createdAt', operator: 'within', value: 0, unit: 'days' }, '/value', 'out_of_range'],
    [{ field: 'createdAt', operator: 'within', value: -1, unit: 'days' }, '/value', 'out_of_range'],
    [{ field: 'createdAt', operator: 'within', value: 1e9, unit: 'days' }, '/value', 'out_of_range'],
    [{ field: 'createdAt', operator: 'within', value: '7', unit: 'days' }, '/value', 'invalid_type'],
    [{ field: 'event.a', operator: 'triggered', value: 1 }, '/value', 'not_allowed'],
    [{ field: 'email', operator: 'equals', value: 'a', unit: 'days' }, '/unit', 'not_allowed'],
    [{ field: 'customFields.a', operator: 'contains', value: 7 }, '/value', 'invalid_type'],
    [{ field: 'customFields.a', operator: 'greaterThan', value: true }, '/value', 'invalid_type'],
    [{ field: 'customFields.a', operator: 'equals', value: ['a'] }, '/value', 'invalid_type'],
    [{ field: 'customFields.a', operator: 'equals', value: 'a\u0000' }, '/value', 'invalid_text'],
    [{ field: 'customFields.a', operator: 'equals', value: '\ud800' }, '/value', 'invalid_text'],
    [{ field: 'email', operator: 'equals', value: 'a', case: true }, '/case', 'unknown_field'],
  ])('refuses the filter %j', (filter, pointer, code) => {
    expect(filterFault(filter)).toEqual([[pointer, code]]);
  });

  it('reports all errors and how to correct them', () => {
    const given = {
      logic: 'AND',
      groups: [
        {
          filters: [
            { field: 'x', operator: 'equals', value: 1 },
            { field: 'subscribed', operator: 'contains' },
          ],
        },
      ],
    };
    expect(faultsOf(given)).toEqual([
      ['/condition/groups/0/filters/0/field', 'not_allowed', expect.stringContaining('customFields.<path>')],
      [
        '/condition/groups/0/filters/1/operator',
        'not_allowed',
        'does not fit this field: use one of equals, notEquals',
      ],
    ]);
  });

  it('accepts stored texts beyond the limits, which an erasure may have lengthened', () => {
    const given = one({ field: `event.${'x'.repeat(201)}`, operator: 'triggered' });
    expect(faultsOf(given)).toHaveLength(1);
    expect(storedCondition(given).groups[0]!.filters[0]).toMatchObject({
      field: 'event',
      name: 'x'.repeat(201),
    });
  });
});

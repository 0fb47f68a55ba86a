import { describe, expect, it } from '@jest/globals';
import type { BranchOperator, StepType, WorkflowTransition } from '@posthorn/contracts';
import { holds } from './conditions.js';
import { decide, following, type Circumstances, nextTimeOfDay } from './step-machine.js';
import { Variables } from './variables.js';

const now = new Date('2026-03-27T12:00:00Z');
const variables = new Variables({
  contact: {
    id: 'c',
    email: 'ada@example.org',
    subscribed: true,
    customFields: { plan: { name: 'pro' }, age: 36 },
  },
  event: { order: { total: 12.5 } },
  context: {},
  workflow: { id: 'w', name: 'Welcome' },
  execution: { id: 'e', startedAt: now },
  steps: {},
});
const circumstances: Circumstances = { now, timeZone: () => 'Europe/Berlin', variables };
const at = (type: StepType, config: object) =>
  decide({ type, config: config as Record<string, unknown> }, circumstances);

describe('a step', () => {
  it('waits for a time, an event or nothing', () => {
    expect(at('TRIGGER', {})).toEqual({ kind: 'next', branch: null });
    expect(at('DELAY', { amount: 1.5, unit: 'hours' })).toEqual({
      kind: 'delay',
      until: new Date('2026-03-27T13:30:00Z'),
    });
    expect(at('WAIT_FOR_EVENT', { eventName: 'paid', timeout: 60 })).toEqual({
      kind: 'event',
      eventName: 'paid',
      until: new Date('2026-03-27T12:01:00Z'),
    });
    expect(at('EXIT', { reason: 'done' })).toEqual({ kind: 'exit', reason: 'done' });
  });

  it.each([
    [{ field: 'contact.subscribed', operator: 'equals', value: true }, 'yes'],
    [{ field: 'contact.email', operator: 'contains', value: 'EXAMPLE' }, 'yes'],
    [{ field: 'customFields.plan.name', operator: 'equals', value: 'free' }, 'no'],
    [{ field: 'data.age', operator: 'greaterThan', value: 30 }, 'yes'],
    [{ field: 'event.order.total', operator: 'lessThanOrEqual', value: 12.5 }, 'yes'],
    [{ field: 'event.order.missing', operator: 'exists' }, 'no'],
    [{ field: 'event.__proto__.toString', operator: 'exists' }, 'no'],
    [{ field: 'workflow.name', operator: 'notEquals', value: 'Other' }, 'yes'],
    [
      {
        field: 'data.plan.name',
        mode: 'multi',
        branches: [
          { id: 'free', name: 'Free', operator: 'equals', value: 'free' },
          { id: 'pro', name: 'Pro', operator: 'equals', value: 'pro' },
        ],
      },
      'pro',
    ],
    [
      { field: 'data.none', mode: 'multi', branches: [{ id: 'x', name: 'X', operator: 'exists' }] },
      'default',
    ],
  ])('decides by %j: %s', (config, branch) => {
    expect(at('CONDITION', config)).toEqual({ kind: 'next', branch });
  });
});

describe('the next step', () => {
  const way = (to: string, branch: string | null, priority = 0): WorkflowTransition => ({
    id: to,
    fromStepId: 'a',
    toStepId: to,
    priority,
    condition: branch === null ? null : JSON.stringify({ branch }),
  });
  const next = (branch: string | null, ...transitions: WorkflowTransition[]) =>
    following({ transitions }, 'a', branch);

  it('is that of the branch, by priority, then by the order of the document', () => {
    expect(next('yes', way('b', 'no'), way('c', 'yes'))).toBe('c');
    expect(next('yes', way('b', 'yes', 2), way('c', 'yes', 1))).toBe('c');
    expect(next(null, way('b', null), way('c', null))).toBe('b');
    expect(next('yes', way('b', null), way('c', 'yes'))).toBe('c');
    expect(next('no', way('b', null), way('c', 'yes'))).toBe('b');
    expect(next('no', way('c', 'yes'))).toBeNull();
  });

  it('is found without reading the conditions of a graph again', () => {
    let read = 0;
    const transitions = ['b', 'c', 'd'].map((to) => ({
      ...way(to, to),
      get condition() {
        read += 1;
        return JSON.stringify({ branch: to });
      },
    }));
    for (const to of ['b', 'c', 'd', 'b']) expect(following({ transitions }, 'a', to)).toBe(to);
    expect(following({ transitions }, 'b', 'b')).toBeNull();
    expect(read).toBe(3);
  });
});

describe('the next time of the day', () => {
  it.each([
    ['2026-03-27T12:00:00Z', { time: '14:00' }, '2026-03-27T13:00:00.000Z'],
    ['2026-03-27T13:00:00Z', { time: '14:00' }, '2026-03-28T13:00:00.000Z'],
    ['2026-03-27T12:00:00Z', { time: '09:00', weekday: 'MONDAY' as const }, '2026-03-30T07:00:00.000Z'],
    ['2026-03-27T12:00:00Z', { time: '12:00', weekday: 'FRIDAY' as const }, '2026-04-03T10:00:00.000Z'],
    // The clocks go forward from 2 to 3.
    ['2026-03-28T12:00:00Z', { time: '02:30' }, '2026-03-29T01:30:00.000Z'],
    // And back from 3 to 2: the first of both.
    ['2026-10-24T12:00:00Z', { time: '02:30' }, '2026-10-25T00:30:00.000Z'],
  ])('after %s at %j is %s', (from, until, expected) => {
    expect(nextTimeOfDay(new Date(from), until, 'Europe/Berlin').toISOString()).toBe(expected);
  });
});

describe('an operator', () => {
  it.each<[BranchOperator, unknown, unknown, boolean]>([
    ['equals', 1, 1, true],
    ['equals', 1, '1', false],
    ['notEquals', 1, '1', true],
    ['notEquals', undefined, 'x', false],
    ['notEquals', null, 'x', false],
    ['notContains', undefined, 'x', false],
    ['equals', null, null, true],
    ['equals', undefined, null, false],
    ['contains', ['a', 'b'], 'b', true],
    ['notContains', undefined, 'a', false],
    ['notContains', 'abc', 'x', true],
    ['greaterThan', 'b', 'a', true],
    ['greaterThan', true, false, false],
    ['greaterThan', '2026-01-01T10:00:00+02:00', '2026-01-01T07:59:00Z', true],
    ['lessThan', 1, undefined, false],
    ['exists', '', null, true],
    ['notExists', null, null, true],
  ])('%s of %j and %j is %s', (operator, stored, value, expected) => {
    expect(holds(operator, stored, value)).toBe(expected);
  });
});

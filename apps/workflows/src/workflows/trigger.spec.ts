import { describe, expect, it } from '@jest/globals';
import { changedTrigger, triggerFaults } from './trigger.js';

const manual = { triggerType: 'MANUAL', eventName: null, intervalMs: null } as const;
const event = { triggerType: 'EVENT', eventName: 'signup', intervalMs: null } as const;
const schedule = { triggerType: 'SCHEDULE', eventName: null, intervalMs: 60_000 } as const;
const faults = (trigger: Parameters<typeof triggerFaults>[0]) =>
  triggerFaults(trigger).map(({ path, code }) => `${path[0]} ${code}`);

describe('a trigger', () => {
  it.each([manual, event, schedule])('may be %j', (trigger) => expect(faults(trigger)).toEqual([]));

  it.each([
    [{ ...event, eventName: null }, ['eventName required']],
    [{ ...schedule, intervalMs: null }, ['intervalMs required']],
    [{ ...manual, eventName: 'signup' }, ['eventName not_allowed']],
    [{ ...manual, intervalMs: 60_000 }, ['intervalMs not_allowed']],
    [{ ...event, intervalMs: 60_000 }, ['intervalMs not_allowed']],
    [{ ...schedule, eventName: 'signup' }, ['eventName not_allowed']],
    [
      { triggerType: 'EVENT', eventName: null, intervalMs: 60_000 } as const,
      ['eventName required', 'intervalMs not_allowed'],
    ],
  ])('is refused: %j', (trigger, expected) => expect(faults(trigger)).toEqual(expected));
});

describe('a change of a trigger', () => {
  it.each([
    [event, {}, event],
    [event, { eventName: 'purchase' }, { ...event, eventName: 'purchase' }],
    [event, { triggerType: 'EVENT' }, event],
    [event, { triggerType: 'MANUAL' }, manual],
    [event, { triggerType: 'SCHEDULE', intervalMs: 60_000 }, schedule],
    [schedule, { triggerType: 'EVENT', eventName: 'signup' }, event],
  ] as const)('of %j by %j is whole', (before, changes, after) => {
    expect(changedTrigger(before, changes)).toEqual(after);
    expect(faults(changedTrigger(before, changes))).toEqual([]);
  });

  it.each([
    [event, { triggerType: 'SCHEDULE' }, ['intervalMs required']],
    [event, { triggerType: 'MANUAL', eventName: 'signup' }, ['eventName not_allowed']],
    [event, { eventName: null }, ['eventName required']],
    [event, { intervalMs: 60_000 }, ['intervalMs not_allowed']],
    [manual, { eventName: 'signup' }, ['eventName not_allowed']],
  ] as const)('of %j by %j is refused', (before, changes, expected) => {
    expect(faults(changedTrigger(before, changes))).toEqual(expected);
  });
});

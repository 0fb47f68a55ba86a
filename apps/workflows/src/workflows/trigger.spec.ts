import { describe, expect, it } from '@jest/globals';
import { changedTrigger, triggerFaults } from './trigger.js';

const manual = { triggerType: 'MANUAL', eventName: null, intervalMs: null, segmentId: null } as const;
const event = { ...manual, triggerType: 'EVENT', eventName: 'signup' } as const;
const schedule = { ...manual, triggerType: 'SCHEDULE', intervalMs: 60_000 } as const;
const members = { ...schedule, segmentId: '019b0000-0000-7000-8000-000000000001' } as const;
const faults = (trigger: Parameters<typeof triggerFaults>[0]) =>
  triggerFaults(trigger).map(({ path, code }) => `${path[0]} ${code}`);

describe('a trigger', () => {
  it.each([manual, event, schedule, members])('may be %j', (trigger) => expect(faults(trigger)).toEqual([]));

  it.each([
    [{ ...event, eventName: null }, ['eventName required']],
    [{ ...schedule, intervalMs: null }, ['intervalMs required']],
    [{ ...manual, eventName: 'signup' }, ['eventName not_allowed']],
    [{ ...manual, intervalMs: 60_000 }, ['intervalMs not_allowed']],
    [{ ...event, intervalMs: 60_000 }, ['intervalMs not_allowed']],
    [{ ...schedule, eventName: 'signup' }, ['eventName not_allowed']],
    [{ ...event, segmentId: members.segmentId }, ['segmentId not_allowed']],
    [
      { ...manual, triggerType: 'EVENT', intervalMs: 60_000 } as const,
      ['eventName required', 'intervalMs not_allowed'],
    ],
  ])('is refused: %j', (trigger, expected) => expect(faults(trigger)).toEqual(expected));

  it.each([
    ...['email.open', 'contact.subscribed', 'segment.pro-plan.entry', 'segment.pro-plan.exit'],
    ...['signup', 'E-mail confirmed', 'emails.sent'],
  ])('may wait for %s', (eventName) => expect(faults({ ...event, eventName })).toEqual([]));

  it.each(['email.opened', 'Email.open', 'contact.created', 'segment.entry', 'segment.pro.left'])(
    'never happens by %s, whose name is reserved',
    (eventName) => expect(faults({ ...event, eventName })).toEqual(['eventName not_allowed']),
  );
});

describe('a change of a trigger', () => {
  it.each([
    [event, {}, event],
    [event, { eventName: 'purchase' }, { ...event, eventName: 'purchase' }],
    [event, { triggerType: 'EVENT' }, event],
    [event, { triggerType: 'MANUAL' }, manual],
    [event, { triggerType: 'SCHEDULE', intervalMs: 60_000 }, schedule],
    [schedule, { triggerType: 'EVENT', eventName: 'signup' }, event],
    [members, { triggerType: 'MANUAL' }, manual],
    [members, { segmentId: null }, schedule],
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

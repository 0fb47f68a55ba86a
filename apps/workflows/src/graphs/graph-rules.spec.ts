import { describe, expect, it } from '@jest/globals';
import type { GivenGraph, GivenStep, GivenTransition, StepType } from '@posthorn/contracts';
import { graphFindings, unconfigured } from './graph-findings.js';
import { graphFaults } from './graph-rules.js';
import { exitFaults } from '../workflows/workflow.entity.js';

const idOf = (name: string) => `019b0000-0000-7000-8000-${name.padStart(12, '0')}`;
const step = (name: string, type: StepType, config: object = {}): GivenStep => ({
  id: idOf(name),
  name,
  type,
  position: { x: 0, y: 0 },
  config: config as Record<string, unknown>,
});
const way = (from: string, to: string, branch?: string): GivenTransition => ({
  id: idOf(`${from}${to}`),
  fromStepId: idOf(from),
  toStepId: idOf(to),
  condition: branch === undefined ? null : JSON.stringify({ branch }),
  priority: 0,
});
const trigger = step('a', 'TRIGGER');
const mail = step('b', 'SEND_EMAIL', { subject: 'Hi', body: 'Hello' });
const delay = step('c', 'DELAY', { amount: 1, unit: 'days' });
const exit = step('d', 'EXIT', { reason: 'done' });
const sound: GivenGraph = {
  steps: [trigger, mail, delay, exit],
  transitions: [way('a', 'b'), way('b', 'c'), way('c', 'd')],
};
const faults = (change: Partial<GivenGraph>) =>
  graphFaults({ ...sound, ...change }).map(({ path, code }) => `${path.join('/')} ${code}`);
const withStep = (type: StepType, config: object) =>
  faults({ steps: [trigger, mail, delay, exit, step('e', type, config)] });

describe('a graph that is put', () => {
  it('is accepted where every rule holds, unknown members of a config included', () => {
    expect(faults({})).toEqual([]);
    expect(withStep('SEND_EMAIL', { unknownKey: { deep: [1] }, subject: 'x' })).toEqual([]);
  });

  it.each<[string, Partial<GivenGraph>, string[]]>([
    [
      'a position that is a text',
      { steps: [trigger, { ...mail, position: { x: '7', y: 0, note: 'kept' } }, delay, exit] },
      ['steps/1/position/x invalid_type'],
    ],
    ['no trigger', { steps: [mail, delay, exit], transitions: [] }, ['steps required']],
    ['two triggers', { steps: [...sound.steps, step('e', 'TRIGGER')] }, ['steps/4/type not_allowed']],
    ['an id of a step twice', { steps: [...sound.steps, mail] }, ['steps/4/id not_allowed']],
    [
      'an id of a transition twice',
      { transitions: [...sound.transitions, way('a', 'b')] },
      ['transitions/3/id not_allowed'],
    ],
    ['an unknown end', { transitions: [way('a', 'x')] }, ['transitions/0/toStepId not_found']],
    ['an unknown beginning', { transitions: [way('x', 'b')] }, ['transitions/0/fromStepId not_found']],
    [
      'a step that points at itself',
      { transitions: [way('b', 'b')] },
      ['transitions/0/toStepId not_allowed'],
    ],
    ['a way back to the trigger', { transitions: [way('c', 'a')] }, ['transitions/0/toStepId not_allowed']],
    ['a way out of an exit', { transitions: [way('d', 'b')] }, ['transitions/0/fromStepId not_allowed']],
    [
      'a condition that is no branch',
      { transitions: [{ ...way('a', 'b'), condition: '{"branches":1}' }] },
      ['transitions/0/condition invalid_format'],
    ],
  ])('is refused with %s', (_, change, expected) => {
    expect(faults(change)).toEqual(expected);
  });

  it('may have a loop only where a step waits in it', () => {
    const condition = step('e', 'CONDITION', { field: 'contact.email', operator: 'exists' });
    const steps = [trigger, mail, delay, exit, condition];
    const around = [way('a', 'b'), way('b', 'e'), way('e', 'b', 'no'), way('e', 'd', 'yes')];
    expect(faults({ steps, transitions: around })).toEqual(['transitions/2 not_allowed']);
    const waiting = [way('a', 'b'), way('b', 'e'), way('e', 'c', 'no'), way('c', 'b'), way('e', 'd', 'yes')];
    expect(faults({ steps, transitions: waiting })).toEqual([]);
  });

  it.each<[StepType, object, string[]]>([
    ['SEND_EMAIL', { templateId: 'x' }, ['templateId invalid_format']],
    ['SEND_EMAIL', { subject: 'a\r\nBcc: x' }, ['subject invalid_text']],
    ['SEND_EMAIL', { recipient: { type: 'NOBODY' } }, ['recipient/type not_allowed']],
    ['DELAY', { amount: '3' }, ['amount invalid_type']],
    ['DELAY', { amount: 0, unit: 'days' }, ['amount out_of_range']],
    ['DELAY', { amount: 366, unit: 'days' }, ['amount out_of_range']],
    ['DELAY', { amount: 1, unit: 'weeks' }, ['unit not_allowed']],
    ['DELAY', { amount: 1, until: { time: '09:00' } }, ['until not_allowed']],
    ['DELAY', { until: { time: '25:00' } }, ['until/time invalid_format']],
    ['WAIT_FOR_EVENT', { timeout: 31_536_001 }, ['timeout out_of_range']],
    ['WAIT_FOR_EVENT', { eventName: '' }, ['eventName too_short']],
    ['CONDITION', { field: 'password' }, ['field invalid_format']],
    ['CONDITION', { field: 'steps' }, ['field invalid_format']],
    ['CONDITION', { field: 'context.source' }, []],
    ['CONDITION', { field: 'execution.startedAt' }, []],
    ['CONDITION', { field: 'steps.Call CRM.body.plan' }, []],
    ['CONDITION', { operator: 'like' }, ['operator not_allowed']],
    [
      'CONDITION',
      { mode: 'multi', branches: [{ id: 'default', name: 'x', operator: 'exists' }] },
      ['branches/0/id not_allowed'],
    ],
    ['WEBHOOK', { url: 'ftp://example.org' }, ['url invalid_format']],
    ['WEBHOOK', { url: 'https://a:b@example.org' }, ['url invalid_format']],
    ['WEBHOOK', { url: 'https://{{ contact.host }}/' }, []],
    ['WEBHOOK', { headers: { Host: 'x' } }, ['headers/Host not_allowed']],
    ['WEBHOOK', { headers: { 'X-A': 'a\nb' } }, ['headers/X-A not_allowed']],
    ['WEBHOOK', { method: 'TRACE' }, ['method not_allowed']],
    ['UPDATE_CONTACT', { updates: [] }, ['updates invalid_type']],
    ['EXIT', { reason: 'x'.repeat(201) }, ['reason too_long']],
  ])('is refused for a %s step with %j', (type, config, expected) => {
    expect(withStep(type, config)).toEqual(expected.map((each) => `steps/4/config/${each}`));
  });
});

describe('a workflow that is enabled', () => {
  it.each<[StepType, object, string[]]>([
    ['SEND_EMAIL', {}, ['subject', 'body']],
    ['SEND_EMAIL', { templateId: idOf('f') }, []],
    ['SEND_EMAIL', { subject: 'a', body: 'b', recipient: { type: 'CUSTOM' } }, ['recipient/customEmail']],
    ['DELAY', {}, ['amount', 'unit']],
    ['DELAY', { until: { time: '09:00' } }, []],
    ['WAIT_FOR_EVENT', {}, ['eventName', 'timeout']],
    ['CONDITION', { field: 'contact.email' }, ['operator']],
    ['CONDITION', { field: 'contact.email', operator: 'equals' }, ['value']],
    ['CONDITION', { field: 'contact.email', operator: 'equals', value: null }, []],
    ['CONDITION', { field: 'contact.email', mode: 'multi' }, ['branches']],
    ['WEBHOOK', {}, ['url']],
    ['UPDATE_CONTACT', {}, ['updates']],
    ['UPDATE_CONTACT', { subscribed: false }, []],
    ['EXIT', {}, []],
  ])('needs of a %s step with %j: %j', (type, config, expected) => {
    expect(unconfigured({ steps: [step('e', type, config)] }).map(({ path }) => path.join('/'))).toEqual(
      expected.map((each) => `steps/0/config/${each}`),
    );
  });
});

describe('the findings of a graph', () => {
  const shown = (graph: GivenGraph, missing: Parameters<typeof graphFindings>[1] = []) =>
    graphFindings(graph, missing).map(({ pointer, code, severity }) => `${pointer} ${code} ${severity}`);

  it('are all at once, with warnings where it is sound', () => {
    const condition = step('e', 'CONDITION', { field: 'contact.email', operator: 'exists' });
    const wait = step('b', 'WAIT_FOR_EVENT', { eventName: 'email.opened', timeout: 60 });
    const found = shown(
      {
        steps: [trigger, condition, step('f', 'WEBHOOK'), exit, wait],
        transitions: [way('a', 'e'), way('e', 'd', 'maybe'), way('e', 'b', 'yes'), way('b', 'd')],
      },
      [{ path: ['steps', '2', 'config', 'templateId'], code: 'not_found', message: 'must exist' }],
    );
    expect(found).toEqual([
      '/steps/2/config/url unconfigured ERROR',
      '/steps/2/config/templateId missing_template ERROR',
      '/steps/2 unreachable_step WARNING',
      '/steps/1 missing_branch WARNING',
      '/transitions/1/condition unknown_branch WARNING',
      '/steps/4/config/eventName impossible_event WARNING',
    ]);
  });

  it('name a loop in which nothing waits, and what else is wrong', () => {
    const condition = step('e', 'CONDITION');
    expect(
      shown({
        steps: [trigger, mail, condition],
        transitions: [way('a', 'b'), way('b', 'e'), way('e', 'b', 'no')],
      }),
    ).toEqual([
      '/transitions/2 loop_without_wait ERROR',
      '/steps/2/config/field unconfigured ERROR',
      '/steps/2/config/operator unconfigured ERROR',
      '/steps/2 missing_branch WARNING',
    ]);
  });

  it('are none where the graph is as it should be', () => expect(shown(sound)).toEqual([]));
});

it('a goal may name what a condition may', () => {
  const goal = (field: string) =>
    exitFaults({ field, operator: 'exists' }).map(({ path, code }) => `${path.join('/')} ${code}`);
  expect([goal('steps.Call CRM.status'), goal('context.source'), goal('execution.id')]).toEqual([[], [], []]);
  expect(goal('password')).toEqual(['exitWhen/field invalid_format']);
});

import type { Lock } from '../../faults/lock-trap.js';
import type { Random } from '../../random.js';
import { ServiceStrikes, strikesFrom, type Deck, type Strike } from '../service-strikes.js';
import type { Stage } from '../suite.js';

/** What workflows may be at when it dies (docs/decisions/0030-workflows.md, docs/decisions/0031-webhooks.md), each held open where its next statement waits for a lock. */
const locks = {
  'start before its commit': { table: 'workflow_entries', statement: '%INSERT INTO workflow_entries (%' },
  'event before its commit': { table: 'awaited_events', statement: '%INSERT INTO awaited_events (%' },
  'wait before its commit': { table: 'execution_waits', statement: '%INSERT INTO execution_waits (%' },
  // The first turn of a visit commits its position, the next one what came of its effect.
  'turn before its commit': { table: 'execution_steps', statement: '%INSERT INTO execution_steps (%' },
  'response to a step before its commit': {
    ...{ table: 'step_calls', statement: '%UPDATE step_calls c SET attempts%' },
  },
  'response to an event before its commit': {
    ...{ table: 'webhook_calls', statement: '%UPDATE webhook_calls c SET attempts%' },
  },
} as const satisfies Record<string, Lock>;
type State = keyof typeof locks;

/** While executions start. */
const early: Deck<State> = [
  ['kill workflows', 'start before its commit', 3],
  ['kill workflows', 'event before its commit', 2],
  ['kill workflows', 'wait before its commit', 2],
  ['kill workflows', 'turn before its commit', 4],
  ['kill workflows', 'response to a step before its commit', 2],
  ['kill workflows', 'response to an event before its commit', 2],
  ['kill workflows', null, 1],
  ['kill sending', null, 2],
  ['kill contacts', null, 2],
  ['kill gateway', null, 1],
  ['stop workflows', null, 1],
  ['stop sending', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 1],
  ['kill nats', null, 1],
];
const late: Deck<State> = [
  ['kill workflows', 'start before its commit', 1],
  ['kill workflows', 'event before its commit', 2],
  ['kill workflows', 'wait before its commit', 2],
  ['kill workflows', 'turn before its commit', 4],
  ['kill workflows', 'response to a step before its commit', 3],
  ['kill workflows', 'response to an event before its commit', 3],
  ['kill workflows', null, 2],
  ['kill sending', null, 2],
  ['kill contacts', null, 1],
  ['kill gateway', null, 1],
  ['stop workflows', null, 1],
  ['stop contacts', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 2],
];

export const workflowStrikePlan = (count: number, random: Random): Strike<State>[] =>
  strikesFrom([early, late], count, random);

export class WorkflowStrikes extends ServiceStrikes<State> {
  constructor(stage: Stage) {
    super(stage, { service: 'workflows', locks });
  }
}

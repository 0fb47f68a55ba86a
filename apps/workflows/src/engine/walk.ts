import type { ConditionConfig, WebhookConfig, WorkflowGraph, WorkflowStep } from '@posthorn/contracts';
import { holds } from './conditions.js';
import { decide, following, type Circumstances, type Effect, type Position } from './step-machine.js';

/** A goal: where it holds, the execution ends early. */
export type ExitCondition = Required<Pick<ConditionConfig, 'field' | 'operator'>> & { value?: unknown };

/** An execution between two steps that do something: everything that decides where it goes, and nothing else. */
export interface Walk {
  readonly graph: Pick<WorkflowGraph, 'steps' | 'transitions'>;
  readonly exitWhen: ExitCondition | null;
  /** Null once it has ended. */
  position: Position | null;
  /** How often each step was entered. */
  visits: Record<string, number>;
  enteredAt: Date;
  /** The instant of what led to the present step: steps that only decide take no time. Awaited events count from it. */
  since: Date;
  /** Events of that instant that led to it, which are not awaited once more. */
  ledBy: readonly string[];
}

export interface Taken extends Position {
  enteredAt: Date;
  endedAt: Date;
  branch: string | null;
}

/** What a walk stops at. */
export type Stop =
  | { kind: 'effect'; effect: Exclude<Effect, { kind: 'webhook' }> }
  | { kind: 'webhook'; config: WebhookConfig }
  | { kind: 'delay'; until: Date }
  | { kind: 'event'; eventName: string; until: Date }
  | { kind: 'end'; status: 'COMPLETED' | 'EXITED' | 'FAILED'; reason: string | null };

const maxVisits = 1_000;

export function startOf(graph: Walk['graph'], exitWhen: ExitCondition | null, at: Date): Walk {
  const trigger = graph.steps.find(({ type }) => type === 'TRIGGER')!;
  return {
    graph,
    exitWhen,
    position: { stepId: trigger.id, visit: 1 },
    visits: { [trigger.id]: 1 },
    enteredAt: at,
    since: at,
    ledBy: [],
  };
}

export const stepAt = ({ graph, position }: Walk): WorkflowStep =>
  graph.steps.find(({ id }) => id === position!.stepId)!;

/** Passes the steps that need nothing but a decision; what has to be done or waited for ends the walk, at its position. A goal ends no effect that has begun: nobody knows whether it was done. */
export function walk(
  state: Walk,
  circumstances: Circumstances,
  { hasBegun = false } = {},
): { taken: Taken[]; stop: Stop } {
  const taken: Taken[] = [];
  for (let begun = hasBegun; ; begun = false) {
    if (!state.position) return { taken, stop: { kind: 'end', status: 'COMPLETED', reason: null } };
    if (!begun && isReached(state.exitWhen, circumstances)) return { taken, stop: goalEnd };
    if (state.position.visit > maxVisits) return { taken, stop: tooManyVisits };
    const decision = decide(stepAt(state), circumstances);
    switch (decision.kind) {
      case 'next':
        taken.push(leave(state, decision.branch, circumstances.now));
        break;
      case 'exit':
        taken.push({ ...state.position, ...times(state, circumstances.now), branch: null });
        return { taken, stop: { kind: 'end', status: 'EXITED', reason: decision.reason } };
      case 'effect':
        return {
          taken,
          stop:
            decision.effect.kind === 'webhook'
              ? { kind: 'webhook', config: decision.effect.config }
              : { kind: 'effect', effect: decision.effect },
        };
      case 'delay':
      case 'event':
        return { taken, stop: decision };
    }
  }
}

export function leave(state: Walk, branch: string | null, now: Date): Taken {
  const left = { ...state.position!, ...times(state, now), branch };
  const next = following(state.graph, left.stepId, branch);
  state.position = next === null ? null : { stepId: next, visit: (state.visits[next] ?? 0) + 1 };
  if (next !== null) state.visits = { ...state.visits, [next]: state.position!.visit };
  state.enteredAt = now;
  return left;
}

const times = ({ enteredAt }: Walk, endedAt: Date): { enteredAt: Date; endedAt: Date } => ({
  enteredAt,
  endedAt,
});

const goalEnd: Stop = { kind: 'end', status: 'EXITED', reason: 'The exit condition holds' };
const tooManyVisits: Stop = {
  kind: 'end',
  status: 'FAILED',
  reason: `A step was visited more than ${maxVisits} times`,
};

const isReached = (goal: ExitCondition | null, { variables }: Circumstances): boolean =>
  goal !== null && holds(goal.operator, variables.valueOf(goal.field), goal.value);

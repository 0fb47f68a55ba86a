import {
  msOfUnit,
  type ConditionBranch,
  type ConditionConfig,
  type DelayConfig,
  type ExitConfig,
  type SendEmailConfig,
  type UpdateContactConfig,
  type WaitForEventConfig,
  type WebhookConfig,
  type WorkflowGraph,
  type WorkflowStep,
  type WorkflowTransition,
  weekdays,
  type DelayUntil,
} from '@posthorn/contracts';
import { DateTime } from 'luxon';
import { holds } from './conditions.js';
import type { Variables } from './variables.js';

/** Where an execution is: at a step, for the n-th time. */
export interface Position {
  stepId: string;
  visit: number;
}

/** What a step does to the world. Its key is execution, step and visit. */
export type Effect =
  | { kind: 'email'; config: SendEmailConfig }
  | { kind: 'webhook'; config: WebhookConfig }
  | { kind: 'contact'; config: UpdateContactConfig };

/** What is decided at a position, before anything is done. */
export type Decision =
  | { kind: 'effect'; effect: Effect }
  | { kind: 'delay'; until: Date }
  | { kind: 'event'; eventName: string; until: Date }
  | { kind: 'next'; branch: string | null }
  | { kind: 'exit'; reason: string | null };

export interface Circumstances {
  now: Date;
  timeZone: (field: string | undefined) => string;
  variables: Variables;
}

/** The same for executions and rehearsals: a function of its arguments. Configurations were complete when the workflow was enabled. */
export function decide(step: Pick<WorkflowStep, 'type' | 'config'>, circumstances: Circumstances): Decision {
  switch (step.type) {
    case 'TRIGGER':
      return { kind: 'next', branch: null };
    case 'SEND_EMAIL':
      return { kind: 'effect', effect: { kind: 'email', config: step.config as SendEmailConfig } };
    case 'WEBHOOK':
      return { kind: 'effect', effect: { kind: 'webhook', config: step.config as WebhookConfig } };
    case 'UPDATE_CONTACT':
      return { kind: 'effect', effect: { kind: 'contact', config: step.config as UpdateContactConfig } };
    case 'DELAY':
      return { kind: 'delay', until: endOfDelay(step.config as DelayConfig, circumstances) };
    case 'WAIT_FOR_EVENT': {
      const { eventName, timeout } = step.config as Required<WaitForEventConfig>;
      return { kind: 'event', eventName, until: after(circumstances.now, timeout * 1_000) };
    }
    case 'CONDITION':
      return { kind: 'next', branch: branchTaken(step.config as Condition, circumstances.variables) };
    case 'EXIT':
      return { kind: 'exit', reason: (step.config as ExitConfig).reason ?? null };
  }
}

/** The first transition, by priority and then in the order of the document, that always applies or is for the branch; null where none leads on. */
export function following(
  { transitions }: Pick<WorkflowGraph, 'transitions'>,
  stepId: string,
  branch: string | null,
): string | null {
  const taken = waysFrom(transitions, stepId).find(({ wanted }) => wanted === null || wanted === branch);
  return taken?.toStepId ?? null;
}

interface Way {
  toStepId: string;
  wanted: string | null;
}

/** By the step that they leave, first what is taken first. */
type Ways = ReadonlyMap<string, readonly Way[]>;

/** Graphs do not change once they are read, and executions ask again and again. */
const known = new WeakMap<readonly WorkflowTransition[], Ways>();

function waysFrom(transitions: readonly WorkflowTransition[], stepId: string): readonly Way[] {
  const ways = known.get(transitions) ?? orderedWays(transitions);
  known.set(transitions, ways);
  return ways.get(stepId) ?? [];
}

function orderedWays(transitions: readonly WorkflowTransition[]): Ways {
  // A stable sort keeps the order of the document. What is for the branch goes before what always applies.
  const ordered = transitions
    .map(({ fromStepId, toStepId, condition, priority }) => ({
      fromStepId,
      toStepId,
      priority,
      wanted: branchOf(condition),
    }))
    .toSorted((a, b) => a.priority - b.priority || rank(a) - rank(b));
  return Map.groupBy(ordered, ({ fromStepId }) => fromStepId);
}

const rank = ({ wanted }: Way): number => (wanted === null ? 1 : 0);

type Condition = ConditionConfig & { value?: unknown };

function branchTaken(
  { field = '', operator, value, mode, branches = [] }: Condition,
  variables: Variables,
): string {
  const stored = variables.valueOf(field);
  if (mode !== 'multi') return operator !== undefined && holds(operator, stored, value) ? 'yes' : 'no';
  const taken = (branches as (ConditionBranch & { value?: unknown })[]).find((branch) =>
    holds(branch.operator, stored, branch.value),
  );
  return taken?.id ?? 'default';
}

function endOfDelay(
  { amount = 0, unit = 'minutes', until }: DelayConfig,
  { now, timeZone }: Circumstances,
): Date {
  return until === undefined
    ? after(now, amount * msOfUnit[unit])
    : nextTimeOfDay(now, until, timeZone(until.timeZoneField));
}

const after = (instant: Date, ms: number): Date => new Date(instant.getTime() + Math.round(ms));

/** The next such time after the instant, at least a moment later. A time that the clocks skip is the moment after the gap; one that comes twice is the first. */
export function nextTimeOfDay(now: Date, { weekday, time }: DelayUntil, zone: string): Date {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const here = DateTime.fromJSDate(now, { zone });
  for (let days = 0; days <= 7; days += 1) {
    const [at] = here
      .plus({ days })
      .set({ hour, minute, second: 0, millisecond: 0 })
      .getPossibleOffsets() as [DateTime];
    const isDay = weekday === undefined || weekdays[at.weekday - 1] === weekday;
    if (isDay && at.toMillis() > now.getTime()) return at.toJSDate();
  }
  throw new Error(`no ${weekday} within eight days of ${now.toISOString()}`);
}

/** The branch that a transition is for; null where it always applies. Its form was checked when it was put. */
export function branchOf(condition: string | null): string | null {
  if (condition === null) return null;
  return (JSON.parse(condition) as { branch: string }).branch;
}

/** Whether it is `{"branch": "…"}` in JSON. */
export function isBranchText(condition: string): boolean {
  try {
    const read = JSON.parse(condition) as { branch?: unknown } | null;
    return (
      typeof read === 'object' &&
      read !== null &&
      typeof read.branch === 'string' &&
      read.branch.length <= 100
    );
  } catch {
    return false;
  }
}

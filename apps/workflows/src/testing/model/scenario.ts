import type { BranchOperator, StepType } from '@posthorn/contracts';

export const eventNames = ['paid', 'seen', 'email.open'] as const;

export interface Variation {
  /** The same at each visit of a step, and nothing that a mail causes: what a rehearsal can be told. */
  steady: boolean;
}

export interface ModelStep {
  name: string;
  type: StepType;
  config: Record<string, unknown>;
}

/** From one step to another, by their names. */
export interface ModelWay {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

/** An event of a contact while an execution waits, relative to the beginning of the wait. */
export interface ModelArrival {
  name: string;
  instant: 'before' | 'at' | 'after';
  data: Record<string, unknown>;
  /** Events of other services carry their data; that of custom ones is looked up. */
  isCustom: boolean;
}

/** An event that a mail causes before anybody can have stored that it was sent. */
export interface CausedEvent {
  name: string;
  data: Record<string, unknown>;
  /** It is stored while the wait for it is. */
  isConcurrent: boolean;
}

export interface HookAnswer {
  status: number;
  body: object | string;
}

/** Somebody who goes through a workflow, and what happens meanwhile: for each step by its visits. */
export interface ModelPerson {
  email: string;
  subscribed: boolean;
  fields: Record<string, unknown>;
  event: { name: string; data: Record<string, unknown>; isCustom: boolean } | null;
  context: Record<string, unknown>;
  /** Of the last visit for all later ones, as those of webhooks. */
  arrivals: Record<string, ModelArrival[][]>;
  hooks: Record<string, HookAnswer[]>;
  /** Of later visits nothing: a loop through the wait for it would turn by itself. */
  caused: Record<string, (CausedEvent | null)[]>;
}

export interface ModelGoal {
  field: string;
  operator: BranchOperator;
  value: unknown;
}

/** One graph, and those who go through it. */
export interface Scenario {
  seed: number;
  name: string;
  steps: ModelStep[];
  ways: ModelWay[];
  goal: ModelGoal | null;
  people: ModelPerson[];
}

export const ofVisit = <Value>(values: readonly Value[], visit: number): Value =>
  values[Math.min(visit, values.length) - 1]!;

/** Enough Liquid for `{{ contact.email }}`; what is not there is empty. */
export const filled = (text: string, variables: Record<string, unknown>): string =>
  text.replace(/\{\{ *([\w.]+) *\}\}/g, (_, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>((known, name) => (known as Record<string, unknown> | undefined)?.[name], variables);
    return value === undefined || value === null ? '' : String(value);
  });

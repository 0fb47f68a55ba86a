import type { Authority, ExecutionStatus, StepStatus } from '@posthorn/contracts';
import type { ExitCondition, Walk } from '../engine/walk.js';

export type ExecutionWait = 'TIME' | 'EVENT' | 'WEBHOOK';

/** What happened, as conditions and payloads see it. Of a custom event the payload is fetched when it is needed. */
export interface OccurredEvent {
  id: string;
  name: string;
  data: Record<string, unknown> | null;
  at?: Date | string;
  /** What caused it: an execution, or whatever changed the contact just before. */
  cause?: { executionId: string } | 'RECENT';
}

/** An execution that can go on, with what it needs of its workflow. */
export interface DueExecution {
  id: string;
  workflowId: string;
  workflowName: string;
  workflowVersion: number;
  exitWhen: ExitCondition | null;
  /** In whose name its effects are done: who enabled the workflow, and who started it if he is confined. */
  lenders: Authority[];
  contactId: string;
  status: ExecutionStatus;
  currentStepId: string;
  visits: Record<string, number>;
  wait: ExecutionWait | null;
  enteredAt: Date;
  dueAt: Date;
  startedAt: Date;
  context: Record<string, unknown>;
  event: OccurredEvent | null;
  turn: number;
  /** False while a webhook may still be answered. */
  isDue: boolean;
  /** Step and visit whose row is WAITING. */
  openStep: string | null;
  /** The event that ended its wait. */
  met: (OccurredEvent & { since?: string; ledBy?: string[] | null }) | null;
}

/** One visit of a step, as it is stored. */
export interface StepVisit {
  executionId: string;
  stepId: string;
  visit: number;
  status: StepStatus;
  enteredAt: Date;
  dueAt: Date | null;
  endedAt: Date | null;
  branch: string | null;
  input: object | null;
  output: object | null;
  error: string | null;
}

export interface ExecutionChange {
  id: string;
  workflowId: string;
  contactId: string;
  before: ExecutionStatus;
  status: ExecutionStatus;
  reason: string | null;
  currentStepId: string | null;
  visits: Record<string, number>;
  wait: ExecutionWait | null;
  dueAt: Date | null;
  enteredAt: Date;
  turn: number;
  steps: StepVisit[];
  at: Date;
  waitedFor: ExecutionWait | null;
  /** Step and visit whose row was WAITING. */
  stepBefore: string | null;
  /** Rendered texts of it are no longer needed. */
  hadTexts: boolean;
  /** Waits for this. */
  awaits: (Pick<Walk, 'since' | 'ledBy'> & { eventName: string }) | null;
}

export const hasEnded = (status: ExecutionStatus): boolean => status !== 'RUNNING' && status !== 'WAITING';

import { event, query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { PageEnd, PageQuery } from '../common/page.js';
import {
  Address,
  Choice,
  Count,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { stepTypes, type StepType } from './graphs.js';
import { Workflow, WorkflowId } from './workflows.js';

/** RUNNING goes on by itself, WAITING at an instant or for an event; the others have ended. */
export const executionStatuses = [
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'EXITED',
  'FAILED',
  'CANCELLED',
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const stepStatuses = ['WAITING', 'DONE', 'FAILED', 'SKIPPED'] as const;
export type StepStatus = (typeof stepStatuses)[number];

const maxContextBytes = 65_536;
export const maxReason = 500;

/** One contact's way through a workflow (docs/api-decisions.md §7). */
export class Execution {
  @Id() id: string;
  @Id() workflowId: string;
  /** The version on which it started, and on which it ends. */
  @Count() workflowVersion: number;
  @Id() contactId: string;
  @Choice(executionStatuses) status: ExecutionStatus;
  /** Of an EXIT step, a failure or a cancellation. */
  @Text(1, maxReason) @Nullable() reason: string | null;
  @Id() @Nullable() currentStepId: string | null;
  /** Given at the start by a call. */
  @FreeMap({ max: maxContextBytes }) context: Record<string, unknown>;
  @Instant() startedAt: Date;
  @Instant() @Nullable() endedAt: Date | null;
}

/** One visit of a step. */
export class ExecutionStep {
  @Id() id: string;
  @Id() stepId: string;
  @Text(1, 100) stepName: string;
  @Choice(stepTypes) type: StepType;
  /** 1 for the first time; more in a loop. */
  @Count({ min: 1 }) visit: number;
  @Choice(stepStatuses) status: StepStatus;
  @Instant() enteredAt: Date;
  /** When it goes on by itself. */
  @Instant() @Nullable() dueAt: Date | null;
  @Instant() @Nullable() endedAt: Date | null;
  @Text(1, 100) @Nullable() branch: string | null;
  @FreeMap() @Nullable() input: Record<string, unknown> | null;
  @FreeMap() @Nullable() output: Record<string, unknown> | null;
  @Text(1, 1_000) @Nullable() error: string | null;
}

class Steps {
  /** Oldest first, the last thousand. */
  @ListOf(() => ExecutionStep, 0, 1_000) steps: ExecutionStep[];
}

export class ExecutionWithSteps extends JoinFields(Execution, Steps) {}

export class StartExecution extends PickFields(Execution, ['contactId']) {
  @FreeMap({ max: maxContextBytes }) @Optional() context?: Record<string, unknown>;
}

export class StartExecutionOf extends StartExecution {
  @Id() workflowId: string;
}

export class ExecutionFilter {
  @Choice(executionStatuses) @Optional() status?: ExecutionStatus;
}

class OfWorkflow extends PickFields(Execution, ['workflowId']) {}

export class ListExecutions extends JoinFields(JoinFields(PageQuery, ExecutionFilter), OfWorkflow) {}

export class ExecutionPage extends PageEnd {
  @ListOf(() => Execution, 0, 100) items: Execution[];
}

export class ExecutionId extends PickFields(Execution, ['id', 'workflowId']) {}

/** Visits of one step of the present graph. */
export class StepStats {
  @Id() stepId: string;
  @Count() entered: number;
  @Count() waiting: number;
  @Count() done: number;
  @Count() skipped: number;
  @Count() failed: number;
}

/** Since the workflow was created. */
export class WorkflowStats {
  /** By status. */
  @FreeMap({ example: { RUNNING: 1, WAITING: 2, COMPLETED: 3, EXITED: 0, FAILED: 0, CANCELLED: 0 } })
  executions: Record<string, number>;
  /** Starts that the hourly cap has put off, and that wait now. */
  @Count() putOff: number;
  /** Starts that the hourly cap had put off for a day. */
  @Count() dropped: number;
  @ListOf(() => StepStats, 0, 200) steps: StepStats[];
}

export const executions = {
  /** Errors: `conflict` (disabled, entered before, or running), `rate_limited` for the hourly cap. */
  start: request('workflows.executions.start', StartExecutionOf, Execution),
  list: query('workflows.executions.list', ListExecutions, ExecutionPage),
  get: query('workflows.executions.get', ExecutionId, ExecutionWithSteps),
  cancel: request('workflows.executions.cancel', ExecutionId, Execution),
  /** Goes on at the failed step. Errors: `conflict` unless FAILED. */
  retry: request('workflows.executions.retry', ExecutionId, Execution),
  /** As if the wait were over: a delay is due, a wait for an event has timed out. Errors: `conflict` unless WAITING. */
  skipWait: request('workflows.executions.skipWait', ExecutionId, Execution),
  stats: query('workflows.executions.stats', WorkflowId, WorkflowStats),
};

/** What somebody did to one execution; what the workflow itself does is in its history. */
export class ExecutionEvent {
  @Id() executionId: string;
  @Id() workflowId: string;
  @Instant() at: Date;
}

class NamedWorkflow extends PickFields(Workflow, ['id', 'name']) {}
class StartedExecution extends PickFields(Execution, ['id', 'startedAt']) {}
class PersonOfExecution {
  @Id() id: string;
  @Address() email: string;
}

/** The data of calls and of the live stream, too. */
export class EndedExecutionEvent {
  @Instant() at: Date;
  @Nested(() => NamedWorkflow) workflow: NamedWorkflow;
  @Nested(() => StartedExecution) execution: StartedExecution;
  @Nested(() => PersonOfExecution) contact: PersonOfExecution;
  /** Why it failed, or why it ended before its last step. */
  @Text(1, maxReason) @Optional() reason?: string;
}

export const endedExecutionEvents = {
  completed: event(
    'workflows.execution.completed',
    EndedExecutionEvent,
    'The workflow of a contact came to its end.',
  ),
  failed: event('workflows.execution.failed', EndedExecutionEvent, 'An execution cannot go on.'),
};

export const executionEvents = {
  cancelled: event(
    'workflows.execution.cancelled',
    ExecutionEvent,
    'An execution was cancelled by a request.',
  ),
  retried: event('workflows.execution.retried', ExecutionEvent, 'A failed execution goes on at its step.'),
  waitSkipped: event(
    'workflows.execution.wait_skipped',
    ExecutionEvent,
    'The wait of an execution was ended.',
  ),
};

export const executionNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such execution');
export const workflowDisabled = () =>
  new DomainError('conflict', 'conflict', 'The workflow is disabled: resume it first');
export const contactEnteredBefore = () =>
  new DomainError(
    'conflict',
    'conflict',
    'The contact has entered this workflow before, and it allows no re-entry',
  );
export const contactIsInside = () =>
  new DomainError('conflict', 'conflict', 'The contact is in this workflow already');
export const startsUsedUp = (retryAfterSeconds = 1) =>
  new DomainError('rate_limited', 'rate_limited', 'The workflow has started as often this hour as it may', {
    retryAfterSeconds,
  });
export const executionNotFailed = () =>
  new DomainError('conflict', 'conflict', 'Only a FAILED execution can be retried');
export const executionNotWaiting = () =>
  new DomainError('conflict', 'conflict', 'Only a WAITING execution has a wait to skip');
export const executionEnded = () => new DomainError('conflict', 'conflict', 'The execution has ended');

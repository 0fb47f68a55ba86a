import { work } from '@posthorn/work';
import type { OccurredEvent } from './executions/execution-row.js';

export const pausedReason = 'The workflow was paused';
/** After an item that ended its process several times. */
export const afterDeathMs = 60_000;

const retry = { attempts: Infinity, firstMs: 500, maxMs: 30_000 };

/** Ends what a pause has stopped; the key is the id of the workflow. */
export const cancellationWork = work('workflows.cancellations', { concurrency: 2, retry, spread: true });

/** Removes the executions of a deleted workflow; the key is its id. */
export const executionRemovalWork = work('workflows.removals', { retry, spread: true });

export interface RemovedSteps {
  workflowId: string;
  stepIds: string[];
  /** Executions that started before it went through these steps. */
  version: number;
  after?: string;
}

/** Removes the history of steps that a new graph no longer has. */
export const historyRemovalWork = work<RemovedSteps>('workflows.histories', { retry, spread: true });

/** By the id of an execution; due when it goes on. Items of one project are read, decided and written together. */
export const executionWork = work('workflows.executions', {
  batch: 256,
  concurrency: 4,
  reserved: 1,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 300_000 },
});

/** How far a start has come through its contacts. */
export interface SchedulePosition {
  after?: string;
  until?: string;
}

/** By the id of a workflow; due at its next start. */
export const scheduleWork = work<SchedulePosition>('workflows.schedules', {
  concurrency: 2,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export interface Arrival extends OccurredEvent {
  contactId: string;
  at: Date;
}

export interface StartEntry {
  contactId: string;
  /** Null for a schedule. */
  event: OccurredEvent | null;
}

export interface StartBatch {
  workflowId: string;
  entries: StartEntry[];
  /** How often they were put off by the hourly cap. */
  putOff?: number;
}

/** At most this many starts of one workflow; those of one project leave room for the others. */
export const maxStartEntries = 256;
export const startWork = work<StartBatch>('workflows.starts', {
  concurrency: 4,
  spread: true,
  retry: { attempts: Infinity, firstMs: 500, maxMs: 60_000 },
});

export interface FanOut {
  arrivals: Arrival[];
  /** The last workflow that has them. */
  after?: string;
}

/** Few are started in the transaction of the event. */
export const maxStartedAtOnce = 5;
/** Of all of these together. */
export const maxEntriesAtOnce = 64;
/** Of one turn; then other projects have theirs. */
export const workflowsInTurn = 50;
export const entriesInTurn = 2_000;

/** Events that start many workflows, which get them by turns. */
export const fanOutWork = work<FanOut>('workflows.fan-outs', {
  batch: 32,
  concurrency: 2,
  reserved: 1,
  retry: { attempts: Infinity, firstMs: 500, maxMs: 60_000 },
});

/** One item of a project that has texts to render; each project has one place, and gives it back after a turn. */
export const textWork = work('workflows.texts', {
  concurrency: 8,
  spread: true,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 30_000 },
});

export const textItem = (projectId: string) => ({ projectId, key: 'texts' });

const options = {
  concurrency: 64,
  retry: { attempts: Infinity, firstMs: 500, maxMs: 30_000 },
};

/** By the id of a subscription; due when its next call is. */
export const webhookDispatchWork = work('workflows.webhook-turns', options);

/** By the id of an origin to which webhook steps of the project go. */
export const stepDispatchWork = work('workflows.step-turns', options);

import type { OccurredEvent } from '../executions/execution-row.js';
import { work } from '@posthorn/work';

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

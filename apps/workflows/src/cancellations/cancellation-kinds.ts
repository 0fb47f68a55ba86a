import { work } from '@posthorn/work';

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

import { work } from '@posthorn/work';

export interface StartEntry {
  contactId: string;
  /** Null for a schedule. */
  event: { id: string; name: string; data: Record<string, unknown> | null } | null;
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

import { work } from '@posthorn/work';

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

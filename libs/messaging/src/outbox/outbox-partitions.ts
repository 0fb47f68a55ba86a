import { lowestIdOf, type PartitionPlan } from '@posthorn/database';

/** An event that was never published, quarantined ones included, is kept until somebody decides about it. */
export const outboxPartitions = (retentionDays: number): PartitionPlan => ({
  table: 'outbox',
  days: 1,
  retentionDays,
  keptWhile: (start, end) => `EXISTS (
    SELECT FROM outbox WHERE published_at IS NULL AND id >= '${lowestIdOf(start)}' AND id < '${lowestIdOf(end)}')`,
});

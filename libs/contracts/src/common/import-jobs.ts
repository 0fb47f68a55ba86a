import { DomainError } from './errors.js';
import { Choice, Count, Id, Instant, Nullable } from '../schema/fields.js';

export const importStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** An import of a table (docs/api-decisions.md §15); after a restart it continues where it stopped. */
export class ImportJob {
  @Id() id: string;
  @Choice(importStatuses) status: ImportStatus;
  @Count() total: number;
  @Count() processed: number;
  @Count() created: number;
  @Count() updated: number;
  @Count() skipped: number;
  @Count() failed: number;
  @Instant() createdAt: Date;
  @Instant() @Nullable() finishedAt: Date | null;
}

export const importNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such import');

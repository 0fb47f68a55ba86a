import { DomainError } from './errors.js';
import { Choice, Count, Id, Instant, Nullable } from '../schema/fields.js';

export const importStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** A table on its way in (docs/api-decisions.md §15); it goes on after a restart where it was. */
export class ImportJob {
  @Id() id: string;
  @Choice(importStatuses) status: ImportStatus;
  /** Rows without the header. */
  @Count() total: number;
  @Count() processed: number;
  @Count() created: number;
  @Count() updated: number;
  /** Rows after which everything is as before. */
  @Count() skipped: number;
  /** Rows that nobody can take in. */
  @Count() failed: number;
  @Instant() createdAt: Date;
  @Instant() @Nullable() finishedAt: Date | null;
}

export const importNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such import');

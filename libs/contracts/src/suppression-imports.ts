import { request } from './contract.js';
import { DomainError, invalidMember } from './errors.js';
import { Choice, Count, Id, Instant, Nullable, Text } from './fields.js';
import { PickFields } from './shapes.js';

/** Larger than a send: a list of some hundred thousand addresses. */
export const maxSuppressionCsv = 15 * 1024 * 1024;

export const importStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** A list of addresses on its way into the suppressions; it goes on after a restart where it was. */
export class SuppressionImport {
  @Id() id: string;
  @Choice(importStatuses) status: ImportStatus;
  /** Rows without the header. */
  @Count() total: number;
  @Count() processed: number;
  @Count() created: number;
  @Count() updated: number;
  /** Suppressed already: the first reason stays. */
  @Count() skipped: number;
  /** No address, or a reason that there is not. */
  @Count() failed: number;
  @Instant() createdAt: Date;
  @Instant() @Nullable() finishedAt: Date | null;
}

/** The columns `email` and `reason` (MANUAL where there is none), or what hosted providers export. */
export class ImportSuppressions {
  @Text(1, maxSuppressionCsv) csv: string;
}

export class SuppressionImportId extends PickFields(SuppressionImport, ['id']) {}

export const suppressionImports = {
  start: request('sending.suppression_imports.start', ImportSuppressions, SuppressionImport),
  get: request('sending.suppression_imports.get', SuppressionImportId, SuppressionImport),
};

export const importNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such import');
export const csvUnreadable = (reason: string) => invalidMember(['csv'], 'invalid_format', reason);

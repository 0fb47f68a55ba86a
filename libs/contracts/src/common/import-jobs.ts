import { DomainError } from './errors.js';
import { Choice, Count, Flag, Id, Instant, Nullable, Text } from '../schema/fields.js';

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

/** Size of every piece of an uploaded table except the last. */
export const importPieceBytes = 256 * 1024;
const pieceText = Math.ceil(importPieceBytes / 3) * 4;

/** Bytes of a table in UTF-8, encoded as base64. */
export class TablePiece {
  @Text(0, pieceText) bytes: string;
  @Flag() last: boolean;
}

export class FurtherTablePiece extends TablePiece {
  @Id() id: string;
  /** Number of preceding pieces; a repeated piece is not stored twice. */
  @Count() place: number;
}

export const importEnded = () => new DomainError('conflict', 'conflict', 'The import has already finished');
export const importNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such import');

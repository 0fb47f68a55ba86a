import { query, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import { Text } from '../schema/fields.js';
import { ImportJob } from '../common/import-jobs.js';
import { PickFields } from '../schema/shapes.js';

/** Larger than the limit of a send, for several hundred thousand addresses. */
export const maxSuppressionCsv = 15 * 1024 * 1024;

/** Addresses that are already suppressed are skipped, because the first reason is kept. */
export class SuppressionImport extends ImportJob {}

/** Columns `email` and `reason` (MANUAL by default), or the export format of hosted providers. */
export class ImportSuppressions {
  @Text(1, maxSuppressionCsv) csv: string;
}

export class SuppressionImportId extends PickFields(SuppressionImport, ['id']) {}

export const suppressionImports = {
  start: request('sending.suppression_imports.start', ImportSuppressions, SuppressionImport),
  get: query('sending.suppression_imports.get', SuppressionImportId, SuppressionImport),
};

/** Each keeps its text until it is processed. */
export const maxOpenSuppressionImports = 20;
export const tooManySuppressionImports = () =>
  new DomainError(
    'conflict',
    'conflict',
    `A project may have at most ${maxOpenSuppressionImports} unfinished imports of suppressions`,
  );
export const csvUnreadable = (reason: string) => invalidMember(['csv'], 'invalid_format', reason);

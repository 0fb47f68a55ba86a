import { request } from '../schema/contract.js';
import { invalidMember } from '../common/errors.js';
import { Text } from '../schema/fields.js';
import { ImportJob } from '../common/import-jobs.js';
import { PickFields } from '../schema/shapes.js';

/** Larger than a send: a list of some hundred thousand addresses. */
export const maxSuppressionCsv = 15 * 1024 * 1024;

/** A list of addresses on its way into the suppressions; what is suppressed already is skipped, since the first reason stays. */
export class SuppressionImport extends ImportJob {}

/** The columns `email` and `reason` (MANUAL where there is none), or what hosted providers export. */
export class ImportSuppressions {
  @Text(1, maxSuppressionCsv) csv: string;
}

export class SuppressionImportId extends PickFields(SuppressionImport, ['id']) {}

export const suppressionImports = {
  start: request('sending.suppression_imports.start', ImportSuppressions, SuppressionImport),
  get: request('sending.suppression_imports.get', SuppressionImportId, SuppressionImport),
};

export const csvUnreadable = (reason: string) => invalidMember(['csv'], 'invalid_format', reason);

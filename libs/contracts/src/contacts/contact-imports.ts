import { Contact } from './contacts.js';
import { query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Choice, Count, Flag, Id, ListOf, Nullable, Optional, Text, Texts } from '../schema/fields.js';
import { FurtherTablePiece, ImportJob, TablePiece } from '../common/import-jobs.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** Both as uploaded and uncompressed (docs/api-decisions.md §1). */
export const maxImportBytes = 2 * 1024 * 1024 * 1024;
/** Data rows (docs/api-decisions.md §1); further rows are ignored. */
export const maxImportRows = 10_000_000;
export const maxOpenImports = 20;
export const previewedRows = 10;
export const maxImportColumns = 200;

/** All cells of a rejected row together; longer rows are stored without their cells. */
export const maxRejectedRow = 4_096;
/** First columns of an error report, ignored in a table that starts with them: a corrected report. */
export const importReportColumns: readonly string[] = ['line', 'reason'];

const importModes = ['create', 'update', 'both'] as const;
export type ImportMode = (typeof importModes)[number];

export const importedStatuses = ['SUBSCRIBED', 'UNSUBSCRIBED', 'PENDING', 'BOUNCED', 'COMPLAINED'] as const;
export type ImportedStatus = (typeof importedStatuses)[number];

export class ContactImport extends ImportJob {}

export class ContactImportOptions {
  @Choice(importModes, {
    describe:
      '`create` leaves existing contacts unchanged, `update` creates none, `both` (the default) creates and updates',
  })
  @Optional()
  mode?: ImportMode;
  @Id({
    describe:
      'A list to add the contacts to as confirmed members; contacts who unsubscribed from it are not added again',
  })
  @Optional()
  listId?: string;
  @Text(36, 400, { describe: 'Several such lists (at most 10), separated by commas' })
  @Optional()
  listIds?: string;
  @Text(1, 2_000, {
    describe:
      'The text that the people in the table agreed to; stored with their consent. Required to add contacts to lists with double opt-in',
  })
  @Optional()
  consent?: string;
  @Text(2, 16_384, {
    describe:
      'A JSON object that maps column names of the header to `email`, `subscribed`, `custom_fields`, `custom_fields.<name>` or null (ignore). A column that is not mapped goes to the field of its name, or else to a custom field, whose name consists of letters, digits and _: `First Name` becomes `first_name`',
  })
  @Optional()
  mapping?: string;
  @Flag({
    describe:
      'For rows without a value of their own. By default new contacts are subscribed and existing ones are unchanged',
  })
  @Optional()
  subscribed?: boolean;
  @Text(1, 1_024, {
    describe:
      'The column that says who may be mailed, by its name in the header, or by its number where there is no header. By default such columns are recognised by their names and values; the preview shows which',
  })
  @Optional()
  statusColumn?: string;
  @Text(2, 16_384, {
    describe:
      'A JSON object that says what the values of that column mean: `SUBSCRIBED`, `UNSUBSCRIBED`, `PENDING` (not confirmed: not subscribed, and unchanged here), `BOUNCED` or `COMPLAINED` (both unsubscribed and suppressed). Values that it does not name keep their usual meaning',
  })
  @Optional()
  statusValues?: string;
  @Flag({
    describe:
      'Subscribes again those who unsubscribed here and whom the table calls subscribed. Only with their consent; by default they stay unsubscribed, and the error report names their lines',
  })
  @Optional()
  resubscribe?: boolean;
}

export class ImportContacts {
  @Text(1, 1024 * 1024) csv: string;
}

/** Carries the first piece, which shows whether the file is a table. */
export class StartContactImport extends JoinFields(ContactImportOptions, TablePiece) {}

export class ContactImportId extends PickFields(ImportJob, ['id']) {}

export class PreviewContactImport extends JoinFields(ContactImportOptions, TablePiece) {
  @Text(1, 40) encoding: string;
}

export class ContactImportPage extends PageEnd {
  @ListOf(() => ContactImport, 0, 100) items: ContactImport[];
}

export class ContactImportError {
  @Count() line: number;
  @Text(1, 400) reason: string;
  /** The original cells, for 30 days; absent for malformed or long rows, and rows of erased people. */
  @Texts(0, maxImportColumns, maxRejectedRow, { itemMin: 0 }) @Optional() cells?: string[];
}

export class ListContactImportErrors extends ContactImportId {
  @Count() @Optional() afterLine?: number;
}

export class ContactImportErrors {
  @Texts(0, maxImportColumns, 1_024, { itemMin: 0 }) columns: string[];
  /** In the order of the file, at most a thousand per response. */
  @ListOf(() => ContactImportError, 0, 1_000) items: ContactImportError[];
  @Flag() hasMore: boolean;
}

const columnTypes = ['text', 'number', 'boolean', 'mixed', 'empty'] as const;
export type ColumnType = (typeof columnTypes)[number];

export class PreviewedColumn {
  /** Name in the header; empty without a header. */
  @Text(0, 1_024) name: string;
  /** `email`, `subscribed`, `status`, `custom_fields`, `custom_fields.<name>`; null if ignored. */
  @Text(1, 1_024) @Nullable() field: string | null;
  @Choice(columnTypes) type: ColumnType;
}

export const maxPreviewedStatuses = 30;

export class PreviewedRow extends PickFields(Contact, ['customFields']) {
  @Count() line: number;
  @Text(1, 320) @Nullable() email: string | null;
  /** Null if the row leaves it unchanged. */
  @Flag() @Nullable() subscribed: boolean | null;
  @Choice(importedStatuses) @Nullable() status: ImportedStatus | null;
  @Text(1, 400) @Nullable() reason: string | null;
}

export class PreviewedStatus {
  @Text(1, 1_024) value: string;
  /** Null where it is not understood: say what it means with `status_values`. */
  @Choice(importedStatuses) @Nullable() status: ImportedStatus | null;
}

/** A column that says who may be mailed, with its values at the beginning of the table. */
export class PreviewedStatusColumn {
  @Text(0, 1_024) name: string;
  @ListOf(() => PreviewedStatus, 0, maxPreviewedStatuses) values: PreviewedStatus[];
  /** The import is refused until `status_column` and `status_values` say what this column means, or `mapping` assigns it to a field. */
  @Flag() needsDecision: boolean;
}

/** The first rows as they would be imported; nothing is stored. */
export class ContactImportPreview {
  @Text(1, 1) delimiter: string;
  @Text(1, 40) encoding: string;
  @Flag() headed: boolean;
  @ListOf(() => PreviewedColumn, 0, maxImportColumns) columns: PreviewedColumn[];
  @ListOf(() => PreviewedStatusColumn, 0, maxImportColumns) statusColumns: PreviewedStatusColumn[];
  @ListOf(() => PreviewedRow, 0, previewedRows) rows: PreviewedRow[];
}

export const contactImports = {
  /** 422 if the file is not a table or a list does not exist. QUEUED once the last piece has arrived. */
  start: request('contacts.imports.start', StartContactImport, ContactImport),
  /** Replies once the piece is stored, so the sender holds one piece at a time. */
  append: request('contacts.imports.append', FurtherTablePiece, ContactImport),
  get: query('contacts.imports.get', ContactImportId, ContactImport),
  list: query('contacts.imports.list', PageQuery, ContactImportPage),
  errors: query('contacts.imports.errors', ListContactImportErrors, ContactImportErrors),
  /** Imported rows stay. A finished import is returned unchanged. */
  cancel: request('contacts.imports.cancel', ContactImportId, ContactImport),
  preview: query('contacts.imports.preview', PreviewContactImport, ContactImportPreview),
};

export const tooManyImports = () =>
  new DomainError('conflict', 'conflict', `A project may have at most ${maxOpenImports} unfinished imports`);

import { Contact } from './contacts.js';
import { request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Choice, Count, Flag, Id, ListOf, Nullable, Optional, Text, Texts } from '../schema/fields.js';
import { ImportJob } from '../common/import-jobs.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** As it comes (docs/api-decisions.md §1), and as it is once it is unpacked. */
export const maxImportBytes = 2 * 1024 * 1024 * 1024;
/** Data rows (docs/api-decisions.md §1); what is behind them is not read. */
export const maxImportRows = 10_000_000;
/** All pieces of a table but the last have as many bytes. */
export const importPieceBytes = 256 * 1024;
/** Of one project, that wait or are under way. */
export const maxOpenImports = 20;
export const previewedRows = 10;
export const maxImportColumns = 200;

/** Of all cells of a rejected row together; a longer one is kept without its cells. */
export const maxRejectedRow = 4_096;
/** What a report of errors begins with: a table that begins so is a corrected one, and says nothing by these two. */
export const importReportColumns: readonly string[] = ['line', 'reason'];

const pieceText = Math.ceil(importPieceBytes / 3) * 4;

const importModes = ['create', 'update', 'both'] as const;
export type ImportMode = (typeof importModes)[number];

export class ContactImport extends ImportJob {}

/** What is wanted of a table of contacts. */
export class ContactImportOptions {
  @Choice(importModes, {
    describe:
      '`create` leaves contacts that are there as they are, `update` makes none, `both` does either; `both` unless said otherwise',
  })
  @Optional()
  mode?: ImportMode;
  @Id({ describe: 'A list that its contacts become confirmed members of; who left it stays away' })
  @Optional()
  listId?: string;
  @Text(36, 400, { describe: 'Several such lists (at most 10), with commas between' })
  @Optional()
  listIds?: string;
  @Text(1, 2_000, {
    describe:
      'What the people of the table agreed to, in its words: kept as the text of their consent. Lists with double opt-in take nobody in without it',
  })
  @Optional()
  consent?: string;
  @Text(2, 16_384, {
    describe:
      'A JSON object: what a column is (`email`, `subscribed`, `custom_fields`, `custom_fields.<name>`, or null for nothing), by its name in the header. A column that is not named is what it is called, and else a custom field',
  })
  @Optional()
  mapping?: string;
  @Flag({
    describe:
      'Of rows that do not say it themselves. Without it new contacts are subscribed, and others stay as they are',
  })
  @Optional()
  subscribed?: boolean;
}

/** A small table as a member of JSON; larger ones are the body itself, or the file of a form. */
export class ImportContacts {
  @Text(1, 1024 * 1024) csv: string;
}

/** Bytes of the table in UTF-8, in base64. */
class ImportPiece {
  @Text(0, pieceText) bytes: string;
  /** None follows. */
  @Flag() last: boolean;
}

/** With the first piece: what it begins with decides whether it is a table at all. */
export class StartContactImport extends JoinFields(ContactImportOptions, ImportPiece) {}

export class ContactImportId extends PickFields(ImportJob, ['id']) {}

export class AppendToContactImport extends JoinFields(ContactImportId, ImportPiece) {
  /** How many pieces came before; one that came already is not stored twice. */
  @Count() place: number;
}

export class PreviewContactImport extends JoinFields(ContactImportOptions, ImportPiece) {
  /** As which its bytes were read. */
  @Text(1, 40) encoding: string;
}

export class ContactImportPage extends PageEnd {
  @ListOf(() => ContactImport, 0, 100) items: ContactImport[];
}

/** Why a row was not taken in. */
export class ContactImportError {
  /** Of the file, from 1 on: where the row begins. */
  @Count() line: number;
  @Text(1, 400) reason: string;
  /** As they came, for 30 days. A row that is broken or long has none, nor has one that names a person who was erased. */
  @Texts(0, maxImportColumns, maxRejectedRow, { itemMin: 0 }) @Optional() cells?: string[];
}

export class ListContactImportErrors extends ContactImportId {
  /** Only those behind it. */
  @Count() @Optional() afterLine?: number;
}

export class ContactImportErrors {
  /** Of the cells; where the table has no header, only the column of the addresses has a name. */
  @Texts(0, maxImportColumns, 1_024, { itemMin: 0 }) columns: string[];
  /** In the order of the file, at most a thousand at a time. */
  @ListOf(() => ContactImportError, 0, 1_000) items: ContactImportError[];
  @Flag() hasMore: boolean;
}

const columnTypes = ['text', 'number', 'boolean', 'mixed', 'empty'] as const;
export type ColumnType = (typeof columnTypes)[number];

export class PreviewedColumn {
  /** As the header calls it; empty where there is none. */
  @Text(0, 1_024) name: string;
  /** `email`, `subscribed`, `custom_fields`, `custom_fields.<name>`; null where it is passed over. */
  @Text(1, 1_024) @Nullable() field: string | null;
  /** By the rows that are shown. */
  @Choice(columnTypes) type: ColumnType;
}

export class PreviewedRow extends PickFields(Contact, ['customFields']) {
  @Count() line: number;
  @Text(1, 320) @Nullable() email: string | null;
  /** Null where the row leaves it as it is. */
  @Flag() @Nullable() subscribed: boolean | null;
  /** Why it would not be taken in. */
  @Text(1, 400) @Nullable() reason: string | null;
}

/** The first rows of a table as they would land; nothing is stored. */
export class ContactImportPreview {
  @Text(1, 1) delimiter: string;
  @Text(1, 40) encoding: string;
  /** Whether the first row names the columns. */
  @Flag() headed: boolean;
  @ListOf(() => PreviewedColumn, 0, maxImportColumns) columns: PreviewedColumn[];
  @ListOf(() => PreviewedRow, 0, previewedRows) rows: PreviewedRow[];
}

export const contactImports = {
  /** 422 where it is no table, or a list is not there. With its last piece it is QUEUED. */
  start: request('contacts.imports.start', StartContactImport, ContactImport),
  /** Answered once the piece is stored: whoever sends the next one then holds no more than one. */
  append: request('contacts.imports.append', AppendToContactImport, ContactImport),
  get: request('contacts.imports.get', ContactImportId, ContactImport),
  list: request('contacts.imports.list', PageQuery, ContactImportPage),
  errors: request('contacts.imports.errors', ListContactImportErrors, ContactImportErrors),
  /** Between two commits: what is in stays in. One that has ended is answered as it is. */
  cancel: request('contacts.imports.cancel', ContactImportId, ContactImport),
  preview: request('contacts.imports.preview', PreviewContactImport, ContactImportPreview),
};

export const importEnded = () => new DomainError('conflict', 'conflict', 'The import has ended');
export const tooManyImports = () =>
  new DomainError('conflict', 'conflict', `A project may have ${maxOpenImports} imports that have not ended`);

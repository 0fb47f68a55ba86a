import {
  previewedRows,
  type ColumnType,
  type ContactImportPreview,
  type PreviewContactImport,
  type PreviewedRow,
} from '@posthorn/contracts';
import { CsvReader } from '@posthorn/csv';
import { nameOfField, type ImportLayout } from './import-layout.js';
import { readRow, type ImportedRow } from './import-rows.js';
import { readLayout } from './import-table.js';
import { valueOf } from './import-value.js';

const maxShown = 1_024;

export function previewOf({
  bytes,
  last,
  mapping,
  subscribed,
  encoding,
}: PreviewContactImport): ContactImportPreview {
  const head = Buffer.from(bytes, 'base64');
  const layout = readLayout(head, mapping);
  const rows = firstRows(head, layout, last);
  const { delimiter, headed, fields, columns } = layout;
  const shown = fields.map((field, index) => ({
    name: (columns[index] ?? '').slice(0, maxShown),
    field: nameOfField(field)?.slice(0, maxShown) ?? null,
    type: typeOf(rows.map(({ cells }) => cells[index] ?? '')),
  }));
  return {
    delimiter,
    encoding,
    headed,
    columns: shown,
    rows: rows.map(({ row }) => previewed(row, subscribed)),
  };
}

function firstRows(
  head: Buffer,
  layout: ImportLayout,
  last: boolean,
): { row: ImportedRow; cells: string[] }[] {
  const reader = new CsvReader({ delimiter: layout.delimiter });
  const found = [...take(reader.push(head), layout)];
  // A row that continues in the next piece is not shown.
  if (last) found.push(...take(reader.end(), layout));
  return found.slice(layout.headed ? 1 : 0).slice(0, previewedRows);
}

function* take(
  rows: ReturnType<CsvReader['push']>,
  layout: ImportLayout,
): Generator<{ row: ImportedRow; cells: string[] }> {
  let count = 0;
  for (const row of rows) {
    yield { row: readRow(row, layout), cells: row.cells };
    count += 1;
    if (count > previewedRows) return;
  }
}

function previewed({ line, contact, reason }: ImportedRow, common: boolean | undefined): PreviewedRow {
  const subscribed = contact ? (contact.subscribed ?? common ?? null) : null;
  return {
    line,
    email: contact?.email ?? null,
    subscribed,
    customFields: contact?.customFields ?? {},
    reason,
  };
}

function typeOf(cells: readonly string[]): ColumnType {
  const types = new Set(cells.map(valueOf).flatMap((value) => (value === null ? [] : [typeof value])));
  if (types.size === 0) return 'empty';
  const [only] = types;
  if (types.size > 1) return 'mixed';
  return only === 'number' || only === 'boolean' ? only : 'text';
}

import {
  maxPreviewedStatuses,
  previewedRows,
  type ColumnType,
  type ContactImportPreview,
  type PreviewContactImport,
  type PreviewedRow,
  type PreviewedStatusColumn,
} from '@posthorn/contracts';
import { CsvReader } from '@posthorn/csv';
import { nameOfField, type ImportLayout } from './import-layout.js';
import { readRow, type ImportedRow } from './import-rows.js';
import { startOf } from './import-layout.js';
import { statusOf } from './import-status.js';
import type { StatusColumn } from './import-statuses.js';
import { readTable } from './import-table.js';
import { valueOf } from './import-value.js';

const maxShown = 1_024;

export function previewOf(request: PreviewContactImport): ContactImportPreview {
  const { bytes, last, subscribed, encoding } = request;
  const head = Buffer.from(bytes, 'base64');
  const { layout, columns: statuses } = readTable(head, request);
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
    statusColumns: statuses.map(previewedStatus),
    rows: rows.map(({ row }) => previewed(row, subscribed)),
  };
}

function firstRows(
  head: Buffer,
  layout: ImportLayout,
  last: boolean,
): { row: ImportedRow; cells: string[] }[] {
  const reader = new CsvReader({ delimiter: layout.delimiter, ...startOf(layout) });
  const found = [...take(reader.push(head.subarray(layout.start)), layout)];
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
  const status = contact?.status ?? null;
  const subscribed = status === null ? contact && (common ?? null) : status === 'SUBSCRIBED';
  return {
    line,
    email: contact?.email ?? null,
    subscribed,
    status,
    customFields: contact?.customFields ?? {},
    reason,
  };
}

function previewedStatus({ name, reading, values, unclear }: StatusColumn): PreviewedStatusColumn {
  return {
    name: name.slice(0, maxShown),
    values: values.slice(0, maxPreviewedStatuses).map((value) => ({
      value: value.slice(0, maxShown),
      status: unclear.includes(value) ? null : (statusOf(reading, value) ?? null),
    })),
    needsDecision: unclear.length > 0,
  };
}

function typeOf(cells: readonly string[]): ColumnType {
  const types = new Set(cells.map(valueOf).flatMap((value) => (value === null ? [] : [typeof value])));
  if (types.size === 0) return 'empty';
  const [only] = types;
  if (types.size > 1) return 'mixed';
  return only === 'number' || only === 'boolean' ? only : 'text';
}

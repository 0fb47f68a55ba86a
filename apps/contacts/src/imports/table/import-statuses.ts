import { invalidMember, type ImportedStatus } from '@posthorn/contracts';
import { CsvReader } from '@posthorn/csv';
import type { ColumnField, ColumnMapping, ImportLayout } from './import-layout.js';
import {
  distinctOf,
  foundIn,
  mightBeStatus,
  statusColumn,
  words,
  type FoundStatus,
  type StatusReading,
} from './import-status.js';

/** What the caller says of the column that tells who may be mailed. */
export interface StatusDecision {
  column: string;
  values: Readonly<Record<string, ImportedStatus>>;
}

export interface StatusColumn {
  index: number;
  name: string;
  reading: StatusReading;
  values: readonly string[];
  unclear: readonly string[];
}

/** Enough to see every value of a status, and quickly read. */
const rowsLookedAt = 5_000;
const bytesLookedAt = 256 * 1024;
const shownValues = 5;

export interface ReadStatuses {
  layout: ImportLayout;
  columns: readonly StatusColumn[];
}

/** Finds the columns that say who may be mailed, by the first rows of the table. */
export function withStatuses(
  cells: readonly string[][],
  layout: ImportLayout,
  mapping: ColumnMapping,
  decision: StatusDecision | null,
): ReadStatuses {
  const nameOf = (index: number) => layout.columns[index] ?? String(index + 1);
  const isOpen = (index: number) => !mapping.has(nameOf(index)) && isFree(layout.fields[index]!);
  const decided = decision ? decidedColumn(decision, layout, nameOf) : -1;
  const columns = layout.fields.flatMap((_, index): StatusColumn[] => {
    const found =
      index === decided
        ? decidedStatus(decision!, nameOf(index), cells[index]!)
        : isOpen(index)
          ? statusColumn(nameOf(index), cells[index]!)
          : null;
    return found ? [{ index, name: nameOf(index), values: distinctOf(cells[index]!), ...found }] : [];
  });
  // Where nothing else does, words like active and cancelled may tell it, or may be those of a plan.
  const saysStatus = columns.length > 0 || layout.status !== undefined || layout.fields.some(isStatus);
  const guesses = saysStatus
    ? []
    : layout.fields.flatMap((_, index): StatusColumn[] =>
        isOpen(index) && mightBeStatus(cells[index]!)
          ? [{ index, name: nameOf(index), reading: words, ...allUnclear(cells[index]!) }]
          : [],
      );
  const fields = [...layout.fields];
  for (const { index, reading } of columns) fields[index] = { status: reading };
  return { layout: { ...layout, fields }, columns: [...columns, ...guesses] };
}

/** Nobody is subscribed by a guess. */
export function refuseUnclear(columns: readonly StatusColumn[]): void {
  for (const { name, unclear } of columns) {
    if (unclear.length === 0) continue;
    const shown = unclear.slice(0, shownValues).map((value) => JSON.stringify(value.slice(0, 40)));
    const more = unclear.length > shownValues ? ` and ${unclear.length - shownValues} more` : '';
    throw invalidMember(
      ['statusColumn'],
      'required',
      `must be given: the column ${JSON.stringify(name.slice(0, 80))} seems to say who may be mailed, and what ${shown.join(', ')}${more} means is not certain; say so in status_values, or assign the column to a custom field by mapping`,
    );
  }
}

const isStatus = (field: ColumnField): boolean =>
  typeof field === 'object' && field !== null && 'status' in field;
const isFree = (field: ColumnField): boolean =>
  field === null || (typeof field === 'object' && 'customField' in field);
const allUnclear = (cells: readonly string[]) => ({ values: distinctOf(cells), unclear: distinctOf(cells) });

function decidedColumn(
  { column }: StatusDecision,
  { fields }: ImportLayout,
  nameOf: (index: number) => string,
): number {
  const index = fields.findIndex((field, at) => nameOf(at) === column && field !== 'email');
  if (index === -1) throw invalidMember(['statusColumn'], 'not_found', 'names a column that does not exist');
  return index;
}

function decidedStatus(decision: StatusDecision, name: string, cells: readonly string[]): FoundStatus {
  const known = statusColumn(name, cells)?.reading ?? words;
  return foundIn({ ...known, values: decision.values }, distinctOf(cells));
}

/** The cells of each column in the first rows; a last one that may be cut off is left out. */
export function valuesOf(
  head: Buffer,
  { delimiter, headed, start, fields }: ImportLayout,
  isWhole: boolean,
): string[][] {
  const cells: string[][] = fields.map(() => []);
  let row = 0;
  const reader = new CsvReader({ delimiter });
  const take = (found: Iterable<{ cells: string[] }>) => {
    for (const each of found) {
      row += 1;
      if (row === 1 && headed) continue;
      for (const [index, values] of cells.entries()) values.push(each.cells[index] ?? '');
      if (row >= rowsLookedAt) return;
    }
  };
  take(reader.push(head.subarray(start, bytesLookedAt)));
  if (row < rowsLookedAt && isWhole && head.length <= bytesLookedAt) take(reader.end());
  return cells;
}

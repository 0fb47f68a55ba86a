import type { Shape } from '@posthorn/contracts';
import { v1 } from '../dialects/v1.js';
import { CsvTable, type CsvCell } from '../wire/bodies/csv.js';

/** A row for each, with the columns that are named first, then one for each simple member of the shape. */
export function tableOf(shape: Shape, rows: readonly object[], leading: readonly string[] = []): CsvTable {
  const simple = v1.names
    .of(shape)
    .shown.filter(({ field }) => field.kind !== 'object' && field.kind !== 'json')
    .map(({ contractName, dialectName }) => ({ member: contractName, column: dialectName }))
    .filter(({ member }) => !leading.includes(member));
  const columns = [...leading.map((name) => ({ member: name, column: name })), ...simple];
  const cells = rows.map((row) =>
    columns.map(({ member }) => cellOf((row as Record<string, unknown>)[member])),
  );
  return new CsvTable(
    columns.map(({ column }) => column),
    onePage(cells),
  );
}

async function* onePage(cells: CsvCell[][]): AsyncGenerator<CsvCell[][]> {
  yield cells;
}

function cellOf(value: unknown): CsvCell {
  if (value instanceof Date) return value.toISOString();
  const isCell = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isCell ? value : null;
}

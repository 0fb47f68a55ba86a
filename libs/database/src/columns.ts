export interface Column<Row> {
  column: string;
  /** Of a single value, as Postgres names it. */
  type: string;
  value: (row: Row, index: number) => unknown;
}

export interface Columns<Row> {
  count: number;
  /** An item of a FROM clause that has the rows; their parameters are numbered from `first`. */
  unnest(name: string, first: number): string;
  /** All values of one column, for statements that read it by subscript. */
  array(column: string, first: number): string;
  values(rows: readonly Row[]): unknown[][];
}

/** Declared once, so that the parallel arrays of a statement and its parameters cannot get out of step. */
export function columnsOf<Row>(columns: readonly Column<Row>[]): Columns<Row> {
  const parameters = (first: number) => columns.map(({ type }, index) => `$${first + index}::${type}[]`);
  return {
    count: columns.length,
    unnest: (name, first) =>
      `unnest(${parameters(first).join(', ')}) AS ${name} (${columns.map(({ column }) => column).join(', ')})`,
    array: (name, first) => {
      const index = columns.findIndex(({ column }) => column === name);
      if (index === -1) throw new Error(`there is no column ${name}`);
      return `(${parameters(first)[index]})`;
    },
    values: (rows) => columns.map(({ value }) => rows.map(value)),
  };
}

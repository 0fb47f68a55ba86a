/** One figure: against a reference of the same run, or against a fixed bound. */
export interface Row {
  name: string;
  product: number;
  reference?: number;
  /** At least this. */
  floor?: number;
  /** At least so many per cent of the reference. */
  floorPercent?: number;
  /** At most so many times the reference. */
  ceilingTimes?: number;
  /** At most this. */
  ceiling?: number;
}

/** Prints the table and, last, one line for machines; returns whether every bound was held. */
export function report(rows: Row[]): boolean {
  const table = rows.map((row) => ({
    figure: row.name,
    product: round(row.product),
    reference: row.reference ? round(row.reference) : '',
    ratio: ratio(row),
    bound: bound(row),
    held: held(row),
  }));
  console.table(table);
  console.log(
    `BENCH ${JSON.stringify(Object.fromEntries(rows.map((row) => [row.name, { ...row, held: held(row) }])))}`,
  );
  return rows.every(held);
}

function held({ product, reference = 0, floor, floorPercent, ceilingTimes, ceiling }: Row): boolean {
  if (floor !== undefined) return product >= floor;
  if (floorPercent !== undefined) return product >= (reference * floorPercent) / 100;
  const bounded = product <= (ceiling ?? Infinity);
  return ceilingTimes === undefined ? bounded : bounded && product <= reference * ceilingTimes;
}

function bound({ floor, floorPercent, ceilingTimes, ceiling }: Row): string {
  if (floor !== undefined) return `≥ ${floor}`;
  if (floorPercent !== undefined) return `≥ ${floorPercent} %`;
  const bounds = [
    ceilingTimes === undefined ? null : `≤ ${ceilingTimes}×`,
    ceiling === undefined ? null : `≤ ${ceiling}`,
  ];
  return bounds.filter((each) => each !== null).join(' and ');
}

function ratio({ product, reference, ceilingTimes }: Row): string {
  if (!reference) return '';
  return ceilingTimes
    ? `${(product / reference).toFixed(2)}×`
    : `${Math.round((product / reference) * 100)} %`;
}

const round = (value: number): number => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);

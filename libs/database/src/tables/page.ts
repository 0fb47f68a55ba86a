import { defaultPageSize, type PagePosition } from '@posthorn/contracts';
import { lowestIdOf } from './ids.js';

export interface PageRequest {
  limit?: number;
  after?: PagePosition;
}

export interface Page<Row> {
  items: Row[];
  hasMore: boolean;
  next: PagePosition | null;
}

/** Totals are counted up to this (docs/api-decisions.md §1). */
export const totalCap = 10_000;

export const maxPageBytes = 4 * 1024 * 1024;

export interface Total {
  total: number;
  totalIsCapped?: true;
}

export const cappedTotal = (matches: number): Total =>
  matches > totalCap ? { total: totalCap, totalIsCapped: true } : { total: matches };

export async function pageWithTotal<Row>(
  { withTotal }: { withTotal?: boolean },
  page: Promise<Page<Row>>,
  total: () => Promise<number | Total>,
): Promise<Page<Row> & Partial<Total>> {
  const [found, counted] = await Promise.all([page, withTotal ? total() : {}]);
  return { ...found, ...(typeof counted === 'number' ? { total: counted } : counted) };
}

export const pageLimit = ({ limit }: PageRequest): number => limit ?? defaultPageSize;

/** Makes a page of up to `limit + 1` rows, ordered by creation, newest first, ties by id, descending. */
export function toPage<Row extends { id: string; createdAt: Date }>(
  rows: Row[],
  request: PageRequest,
): Page<Row> {
  const items = withinBytes(rows.slice(0, pageLimit(request)));
  const hasMore = rows.length > items.length;
  const last = items.at(-1);
  return { items, hasMore, next: hasMore && last ? { at: last.createdAt, id: last.id } : null };
}

/** Upper bounds of the bytes in JSON: for a member without its text, and for a UTF-16 unit of text. */
const memberBytes = 64;
const unitBytes = 6;

/** An upper bound of the size as JSON, which is ten times faster than the exact one. */
function maxBytesOf(row: object): number {
  return Object.values(row).reduce<number>((sum, value: unknown) => {
    if (typeof value === 'string') return sum + memberBytes + value.length * unitBytes;
    const nested = typeof value === 'object' && value !== null && !(value instanceof Date);
    return sum + memberBytes + (nested ? JSON.stringify(value).length * unitBytes : 0);
  }, 0);
}

function withinBytes<Row extends object>(rows: Row[]): Row[] {
  if (rows.reduce((sum, row) => sum + maxBytesOf(row), 0) <= maxPageBytes) return rows;
  let bytes = 0;
  const end = rows.findIndex(
    (row, index) => (bytes += Buffer.byteLength(JSON.stringify(row))) > maxPageBytes && index > 0,
  );
  return end === -1 ? rows : rows.slice(0, end);
}

export function keysetCondition(
  after: PagePosition | undefined,
  first: number,
  alias = '',
): { sql: string; parameters: unknown[] } {
  const column = (name: string) => (alias ? `${alias}.${name}` : name);
  return after
    ? {
        sql: `AND (${column('created_at')}, ${column('id')}) < ($${first}::timestamptz, $${first + 1}::uuid)`,
        parameters: [after.at, after.id],
      }
    : { sql: '', parameters: [] };
}

/** For tables that are ordered by their UUIDv7, whose instant is that of the row. */
export function idsBefore(after: PagePosition | undefined): string {
  if (!after) return 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const [first, next] = [lowestIdOf(after.at.getTime()), lowestIdOf(after.at.getTime() + 1)];
  if (after.id < first) return first;
  else return after.id < next ? after.id : next;
}

export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A condition on the rows of a list, which have the alias `row`; its parameters are named (`:name`). */
export interface PageFilter {
  sql: string;
  parameters: Record<string, unknown>;
}

export const equals = (column: string, value: unknown): PageFilter | null =>
  value === undefined ? null : { sql: `${column} = :value`, parameters: { value } };

export const narrowedBy = (filters: readonly (PageFilter | null)[], parameters: unknown[]): string =>
  filters
    .filter((filter) => filter !== null)
    .map(({ sql, parameters: named }) =>
      // A type, as in `'{}'::text[]`, is no parameter.
      sql.replace(/(?<!:):(\w+)/g, (_, name: string) => `$${parameters.push(named[name])}`),
    )
    .map((sql) => ` AND (${sql})`)
    .join('');

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

/** Totals beyond this are not counted (docs/api-decisions.md §1). */
export const totalCap = 10_000;

// Four MiB a page: a reply beyond that says has_more instead (ARCHITECTURE.md).
export const maxPageBytes = 4 * 1024 * 1024;

export interface Total {
  total: number;
  totalIsCapped?: true;
}

/** The total of matches that were counted up to one beyond the cap. */
export const cappedTotal = (matches: number): Total =>
  matches > totalCap ? { total: totalCap, totalIsCapped: true } : { total: matches };

/** A page, and the total where the request wants one; both are read at the same time. */
export async function pageWithTotal<Row>(
  { withTotal }: { withTotal?: boolean },
  page: Promise<Page<Row>>,
  total: () => Promise<number | Total>,
): Promise<Page<Row> & Partial<Total>> {
  const [found, counted] = await Promise.all([page, withTotal ? total() : {}]);
  return { ...found, ...(typeof counted === 'number' ? { total: counted } : counted) };
}

export const pageLimit = ({ limit }: PageRequest): number => limit ?? defaultPageSize;

/** Makes a page of `limit + 1` fetched rows, which are ordered by creation, newest first, ties by id, descending. */
export function toPage<Row extends { id: string; createdAt: Date }>(
  rows: Row[],
  request: PageRequest,
): Page<Row> {
  const items = withinBytes(rows.slice(0, pageLimit(request)));
  const hasMore = rows.length > items.length;
  const last = items.at(-1);
  return { items, hasMore, next: hasMore && last ? { at: last.createdAt, id: last.id } : null };
}

/** What JSON takes for a member besides its text, and at most for a unit of a string: both as bytes, and generous. */
const ofMember = 64;
const ofUnit = 6;

/** No less than the row takes as JSON; for a hundred small rows that costs a tenth of writing them. */
function atMost(row: object): number {
  return Object.values(row).reduce<number>((sum, value: unknown) => {
    if (typeof value === 'string') return sum + ofMember + value.length * ofUnit;
    const nested = typeof value === 'object' && value !== null && !(value instanceof Date);
    return sum + ofMember + (nested ? JSON.stringify(value).length * ofUnit : 0);
  }, 0);
}

function withinBytes<Row extends object>(rows: Row[]): Row[] {
  if (rows.reduce((sum, row) => sum + atMost(row), 0) <= maxPageBytes) return rows;
  let bytes = 0;
  const end = rows.findIndex(
    (row, index) => (bytes += Buffer.byteLength(JSON.stringify(row))) > maxPageBytes && index > 0,
  );
  return end === -1 ? rows : rows.slice(0, end);
}

/** A keyset condition for `ORDER BY created_at DESC, id DESC`; parameters are numbered from `first`. */
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

/**
 * Where rows go on, by id alone, after a place in a list of several tables: for tables whose rows have their UUIDv7's instant for their own. Their index by id
 * is then the order of the list, and their partitions stand in it.
 */
export function idsBefore(after: PagePosition | undefined): string {
  if (!after) return 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const [first, next] = [lowestIdOf(after.at.getTime()), lowestIdOf(after.at.getTime() + 1)];
  if (after.id < first) return first;
  else return after.id < next ? after.id : next;
}

/** Text for a LIKE pattern: the wildcards of the search text are no wildcards. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

import type { Database } from '@posthorn/database';

export interface SealedTable {
  table: string;
  /** Column of the project; null if rows have none. */
  project: string | null;
  id: string;
  sealed: string;
  /** Values are bound to the table only, with this id instead of the row's. */
  placeId?: string;
}

export interface SealedRow {
  projectId: string;
  id: string;
  sealed: string;
}

const first = '00000000-0000-0000-0000-000000000000';
/** Rows without a project use the lowest UUID. */
const projectOf = ({ project }: SealedTable): string => project ?? `'${first}'::uuid`;

export class SealedRowsRepository {
  constructor(private readonly database: Database) {}

  /** Rows not sealed with the key of this prefix, ordered by key. */
  otherThan(
    prefix: string,
    each: SealedTable,
    limit: number,
    after?: Pick<SealedRow, 'projectId' | 'id'>,
  ): Promise<SealedRow[]> {
    const { table, id, sealed } = each;
    const project = projectOf(each);
    return this.database.query<SealedRow>(
      `SELECT ${project} AS "projectId", ${id} AS id, ${sealed} AS sealed FROM ${table}
       WHERE NOT starts_with(${sealed}, $1) AND (${project}, ${id}) > ($2::uuid, $3::uuid) ORDER BY ${project}, ${id} LIMIT $4`,
      [prefix, after?.projectId ?? first, after?.id ?? first, limit],
    );
  }

  async countOtherThan(prefix: string, tables: readonly SealedTable[]): Promise<number> {
    const counts = tables.map(
      ({ table, sealed }) => `(SELECT count(*) FROM ${table} WHERE NOT starts_with(${sealed}, $1))`,
    );
    const [row] = await this.database.query<{ left: number }>(`SELECT (${counts.join(' + ')})::int AS left`, [
      prefix,
    ]);
    return row!.left;
  }

  /** Updates only rows that were not changed or deleted since they were read; returns their number. */
  async replace(each: SealedTable, rows: readonly (SealedRow & { resealed: string })[]): Promise<number> {
    const { table, id, sealed } = each;
    const replaced = await this.database.query(
      `UPDATE ${table} SET ${sealed} = resealed
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS known (of_project, row, was, resealed)
       WHERE ${projectOf(each)} = of_project AND ${id} = row AND ${sealed} = was RETURNING 1`,
      [
        rows.map(({ projectId }) => projectId),
        rows.map((row) => row.id),
        rows.map((row) => row.sealed),
        rows.map(({ resealed }) => resealed),
      ],
    );
    return replaced.length;
  }
}

import type { Database } from '@posthorn/database';

/** A table whose rows hold an envelope, bound to the table's name, the project and the id. */
export interface SealedTable {
  table: string;
  /** The column of the row's project; null where rows belong to none. */
  project: string | null;
  /** The column of the row's id. */
  id: string;
  sealed: string;
  /** Envelopes are bound to the table alone, under this id in place of the row's. */
  placeId?: string;
}

export interface SealedRow {
  projectId: string;
  id: string;
  sealed: string;
}

const first = '00000000-0000-0000-0000-000000000000';
/** Rows of no project have the first of all ids in its place. */
const projectOf = ({ project }: SealedTable): string => project ?? `'${first}'::uuid`;

/** Envelopes as such, of every project: what a change of the key goes through. */
export class SealedRowsRepository {
  constructor(private readonly database: Database) {}

  /** Rows that are not sealed under the key of this prefix, in the order of their keys. */
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

  /** Only what is still as it was read: it may have been used up or written anew meanwhile. Answers how many were. */
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

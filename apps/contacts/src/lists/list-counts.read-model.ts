import type { MembershipStatus } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** Memberships by their status. */
export type ListCount = Record<MembershipStatus, number>;

const none: ListCount = { PENDING: 0, CONFIRMED: 0, UNSUBSCRIBED: 0 };

/** Exact at every moment: what is folded and what is not are read in one statement. */
export class ListCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string, listId: string): Promise<ListCount> {
    return (await this.ofAll(projectId, [listId])).get(listId) ?? none;
  }

  /** Of those that have had members at all. */
  async ofAll(projectId: string, listIds: string[]): Promise<ReadonlyMap<string, ListCount>> {
    const rows = await this.database.query<ListCount & { listId: string }>(
      `SELECT list_id AS "listId", sum(pending)::bigint AS "PENDING", sum(confirmed)::bigint AS "CONFIRMED", sum(unsubscribed)::bigint AS "UNSUBSCRIBED"
       FROM (
         SELECT * FROM list_counts WHERE project_id = $1 AND list_id = ANY ($2::uuid[])
         UNION ALL
         SELECT project_id, list_id, pending, confirmed, unsubscribed FROM list_count_deltas
         WHERE project_id = $1 AND list_id = ANY ($2::uuid[])
       ) AS parts GROUP BY list_id`,
      [projectId, listIds],
    );
    return new Map(rows.map(({ listId, ...count }) => [listId, count]));
  }

  /** Of a list that is locked, and so has no writers any more. */
  async forget(projectId: string, listId: string): Promise<void> {
    // A fold that holds some of these deltas writes the row before it lets them go.
    await this.database.query(`DELETE FROM list_count_deltas WHERE project_id = $1 AND list_id = $2`, [
      projectId,
      listId,
    ]);
    await this.database.query(`DELETE FROM list_counts WHERE project_id = $1 AND list_id = $2`, [
      projectId,
      listId,
    ]);
  }
}

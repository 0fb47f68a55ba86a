import type { MembershipStatus } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export type ListCount = Record<MembershipStatus, number>;

const none: ListCount = { PENDING: 0, CONFIRMED: 0, UNSUBSCRIBED: 0 };

export class ListCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string, listId: string): Promise<ListCount> {
    return (await this.ofAll(projectId, [listId])).get(listId) ?? none;
  }

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

  /** Of a list that is locked, so that nobody writes its counts. */
  async forget(projectId: string, listId: string): Promise<void> {
    // Deltas first: a fold that has locked some of them writes the counts before it releases them.
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

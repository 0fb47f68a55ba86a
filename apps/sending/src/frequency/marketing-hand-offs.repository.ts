import type { Database } from '@posthorn/database';

/** The longest cap that a project may have. */
const keptDays = 30;
const deletedAtOnce = 10_000;

/** Which recipients were sent marketing mail, by the hashes of their addresses; only of projects that limit it. */
export class MarketingHandOffs {
  constructor(private readonly database: Database) {}

  async deleteOld(): Promise<void> {
    let deleted: number;
    do {
      const [row] = await this.database.query<{ count: number }>(
        `WITH old AS (
           DELETE FROM marketing_hand_offs WHERE (project_id, address_hash, email_id) IN (
             SELECT project_id, address_hash, email_id FROM marketing_hand_offs WHERE at < now() - make_interval(days => $1) LIMIT $2
           ) RETURNING 1
         ) SELECT count(*)::int AS count FROM old`,
        [keptDays, deletedAtOnce],
      );
      deleted = row!.count;
    } while (deleted === deletedAtOnce);
  }
}

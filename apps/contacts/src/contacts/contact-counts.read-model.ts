import type { Database } from '@posthorn/database';

export interface ContactCount {
  total: number;
  subscribed: number;
}

/** Always exact: folded counts and deltas are read in one statement. */
export class ContactCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string): Promise<ContactCount> {
    const [count] = await this.database.query<ContactCount>(
      `SELECT coalesce(sum(total), 0)::bigint AS total, coalesce(sum(subscribed), 0)::bigint AS subscribed FROM (
         SELECT total, subscribed FROM contact_counts WHERE project_id = $1
         UNION ALL SELECT total, subscribed FROM contact_count_deltas WHERE project_id = $1
       ) AS parts`,
      [projectId],
    );
    return count!;
  }
}

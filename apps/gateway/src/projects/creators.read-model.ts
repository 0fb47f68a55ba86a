import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface Creator {
  verified: boolean;
  owned: number;
  lastHour: number;
  /** Seconds until the oldest project of the last hour is an hour old. */
  nextIn: number;
}

/** Not scoped to a project: counts the projects of a user. */
@Injectable()
export class CreatorsReadModel {
  constructor(private readonly database: Database) {}

  /** Locks the user until the end of the transaction, so that concurrent creations are counted. */
  async hold(userId: string): Promise<Creator | null> {
    // A separate statement, because its snapshot must be taken after the lock.
    const held = await this.database.query(`SELECT 1 FROM auth_users WHERE id = $1 FOR NO KEY UPDATE`, [
      userId,
    ]);
    if (held.length === 0) return null;
    const [owner] = await this.database.query<Creator>(
      `SELECT person."emailVerified" AS verified,
              (SELECT count(*)::int FROM members member JOIN projects project ON project.id = member.project_id
               WHERE member.user_id = $1 AND member.role = 'OWNER' AND project.disabled_reason IS NULL) AS owned,
              recent.count AS "lastHour", recent.next AS "nextIn"
       FROM auth_users person,
            (SELECT count(*)::int, coalesce(extract(epoch FROM min(created_at) + interval '1 hour' - clock_timestamp()), 0)::float8 AS next
             FROM projects WHERE created_by = $1 AND created_at > clock_timestamp() - interval '1 hour') AS recent
       WHERE person.id = $1`,
      [userId],
    );
    return owner!;
  }
}

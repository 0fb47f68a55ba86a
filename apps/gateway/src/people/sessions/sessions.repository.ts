import { Injectable } from '@nestjs/common';
import type { Session } from '@posthorn/contracts';
import { Database } from '@posthorn/database';

/** Limit of a list without pages (docs/api-decisions.md §1). */
const most = 100;

/** Sessions are addressed by id; their tokens are known to browsers only. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  list(userId: string, currentId: string): Promise<Session[]> {
    return this.database.query<Session>(
      `SELECT id, left(NULLIF("userAgent", ''), 512) AS device, NULLIF("ipAddress", '') AS address, "createdAt", id = $2 AS current
       FROM auth_sessions WHERE "userId" = $1 AND "expiresAt" > now() ORDER BY "createdAt" DESC, id DESC LIMIT ${most}`,
      [userId, currentId],
    );
  }

  async end(userId: string, sessionId: string): Promise<boolean> {
    const ended = await this.database.query(
      `DELETE FROM auth_sessions WHERE "userId" = $1 AND id = $2 RETURNING id`,
      [userId, sessionId],
    );
    return ended.length === 1;
  }

  async endOthers(userId: string, currentId: string): Promise<number> {
    const ended = await this.database.query(
      `DELETE FROM auth_sessions WHERE "userId" = $1 AND id <> $2 RETURNING id`,
      [userId, currentId],
    );
    return ended.length;
  }

  async hasSecondFactor(userId: string): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM auth_users WHERE id = $1 AND "twoFactorEnabled"`, [
      userId,
    ]);
    return rows.length === 1;
  }
}

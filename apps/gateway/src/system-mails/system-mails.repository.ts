import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface SealedMail {
  id: string;
  sealed: string;
  tries: number;
}

/** A try takes less; whoever died in one leaves the row to the next. */
const tryMs = 15_000;
const longestPauseMs = 30_000;
/** The links in them are dead by then. */
const keptHours = 24;

/** Mails of Posthorn itself: above projects. */
@Injectable()
export class SystemMailsRepository {
  constructor(private readonly database: Database) {}

  async insert(id: string, sealed: string): Promise<void> {
    await this.database.query(`INSERT INTO system_mails (id, sealed) VALUES ($1, $2)`, [id, sealed]);
  }

  /** Due ones, each until its try must be over; the pause after it grows with the tries. */
  claim(most: number): Promise<SealedMail[]> {
    return this.database.query<SealedMail>(
      `UPDATE system_mails SET tries = tries + 1,
         next_try_at = now() + make_interval(secs => ($2 + LEAST(1000 * 2 ^ LEAST(tries, 10), $3)) / 1000.0)
       WHERE id IN (SELECT id FROM system_mails WHERE next_try_at <= now() ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING id, sealed, tries`,
      [most, tryMs, longestPauseMs],
    );
  }

  /** Its try is over: what is left is the pause. */
  async postpone(id: string, tries: number): Promise<void> {
    await this.database.query(
      `UPDATE system_mails SET next_try_at = now() + make_interval(secs => LEAST(1000 * 2 ^ LEAST($2::int, 10), $3) / 1000.0)
       WHERE id = $1 AND tries = $2`,
      [id, tries, longestPauseMs],
    );
  }

  async remove(id: string): Promise<void> {
    await this.database.query(`DELETE FROM system_mails WHERE id = $1`, [id]);
  }

  /** How many were too old to be of use. */
  async removeOld(): Promise<number> {
    const gone = await this.database.query(
      `DELETE FROM system_mails WHERE created_at < now() - make_interval(hours => ${keptHours}) RETURNING id`,
    );
    return gone.length;
  }
}

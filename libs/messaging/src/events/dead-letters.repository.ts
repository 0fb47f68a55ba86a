import type { DeadLetterEntries, DeadLetterEntry, ListDeadLetters } from '@posthorn/contracts';
import { pageLimit, type Database } from '@posthorn/database';
import type { WireEvent } from '../calls/frames.js';
import { truncated } from './inbox.repository.js';

interface StoredLetter {
  subscriber: string;
  payload: WireEvent;
}

/** Events that no attempt could handle, of all projects: only operators see them. */
export class DeadLetters {
  constructor(private readonly database: Database) {}

  async list(request: ListDeadLetters): Promise<DeadLetterEntries> {
    const limit = pageLimit(request);
    const found = await this.database.query<DeadLetterEntry>(
      `SELECT id, subscriber, event_name AS event, event_id AS "eventId", payload->>'projectId' AS "projectId", error, attempts,
         first_at AS "firstAt", at AS "lastAt"
       FROM dead_letters WHERE $1::timestamptz IS NULL OR (first_at, id) < ($1, $2::uuid)
       ORDER BY first_at DESC, id DESC LIMIT $3`,
      [request.after?.at ?? null, request.after?.id ?? null, limit + 1],
    );
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const hasMore = found.length > limit;
    return { items, hasMore, next: hasMore && last ? { at: last.firstAt, id: last.id } : null };
  }

  async count(): Promise<{ subscriber: string; count: number }[]> {
    return this.database.query(
      `SELECT subscriber, count(*) AS count FROM (SELECT subscriber FROM dead_letters LIMIT 10000) AS letters GROUP BY subscriber`,
    );
  }

  /** In one transaction; false where the letter is gone, as for the second of two replays. */
  async replay(id: string, effect: (letter: StoredLetter) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async () => {
      const [letter] = await this.database.query<StoredLetter>(
        `SELECT subscriber, payload FROM dead_letters WHERE id = $1 FOR UPDATE`,
        [id],
      );
      if (!letter) return false;
      await effect(letter);
      await this.database.query(`DELETE FROM dead_letters WHERE id = $1`, [id]);
      return true;
    });
  }

  async failedAgain(id: string, error: string): Promise<void> {
    await this.database.query(
      `UPDATE dead_letters SET error = $2, attempts = attempts + 1, at = now() WHERE id = $1`,
      [id, truncated(error)],
    );
  }
}

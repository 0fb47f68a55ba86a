import type { Database } from '@posthorn/database';

/** Facts outlive this in no outbox (7 days), so a repeat after it cannot come. */
const retentionDays = 8;

export interface DeadLetterRow {
  subscriber: string;
  factId: string;
  fact: string;
  payload: object;
  error: string;
}

/** What this service has taken in, and what it could not. */
export class Inbox {
  constructor(private readonly database: Database) {}

  /** Runs the effect on those facts that were not taken in before: the rows and the effect commit together, a repeat is a no-op. */
  async once<F extends { id: string }>(subscriber: string, facts: F[], effect: (fresh: F[]) => Promise<void>): Promise<void> {
    await this.database.transaction(async () => {
      const taken = await this.database.query<{ fact_id: string }>(
        `INSERT INTO inbox (subscriber, fact_id) SELECT $1, id FROM unnest($2::uuid[]) AS f (id) ORDER BY id
         ON CONFLICT DO NOTHING RETURNING fact_id`,
        [subscriber, facts.map(({ id }) => id)],
      );
      const fresh = new Set(taken.map(({ fact_id }) => fact_id));
      if (fresh.size > 0) await effect(facts.filter(({ id }) => fresh.has(id)));
    });
  }

  async bury({ subscriber, factId, fact, payload, error }: DeadLetterRow): Promise<void> {
    await this.database.query(
      `INSERT INTO dead_letters (subscriber, fact_id, fact, payload, error) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (subscriber, fact_id) DO UPDATE SET error = excluded.error, at = now()`,
      [subscriber, factId, fact, JSON.stringify(payload), error.slice(0, 2_000)],
    );
  }

  async forgetOld(): Promise<void> {
    await this.database.query(`DELETE FROM inbox WHERE received_at < now() - make_interval(days => $1)`, [retentionDays]);
  }
}

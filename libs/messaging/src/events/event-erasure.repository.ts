import type { Database } from '@posthorn/database';

export interface StoredEvent {
  id: string;
  projectId: string;
  items: object[];
}

export interface StoredLetter {
  id: string;
  projectId: string;
  payload: object;
  error: string;
}

export class EventErasureRepository {
  constructor(private readonly database: Database) {}

  async lastOfNext(after: string, most: number): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(
      `SELECT id FROM outbox WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1`,
      [after, most - 1],
    );
    return row?.id ?? null;
  }

  /** Locked until the end of the transaction, so that the relay publishes the rewritten event. */
  lockEvents(
    projectIds: string[],
    pattern: string,
    after: string,
    until: string | null,
    most: number,
  ): Promise<StoredEvent[]> {
    return this.database.query(
      `SELECT id, project_id AS "projectId", items FROM outbox
       WHERE id > $1 AND ($2::uuid IS NULL OR id <= $2) AND project_id = ANY ($3::uuid[]) AND items::text ~* $4
       ORDER BY id LIMIT $5 FOR UPDATE`,
      [after, until, projectIds, pattern, most],
    );
  }

  async rewriteEvents(events: readonly StoredEvent[]): Promise<void> {
    await this.database.query(
      `UPDATE outbox SET items = rewritten.items::jsonb FROM unnest($1::uuid[], $2::text[]) AS rewritten (id, items) WHERE outbox.id = rewritten.id`,
      [events.map(({ id }) => id), events.map(({ items }) => JSON.stringify(items))],
    );
  }

  lockLetters(projectIds: string[], pattern: string, most: number): Promise<StoredLetter[]> {
    return this.database.query(
      `SELECT id, payload->>'projectId' AS "projectId", payload, error FROM dead_letters
       WHERE payload->>'projectId' = ANY ($1::text[]) AND (payload::text ~* $2 OR error ~* $2) ORDER BY id LIMIT $3 FOR UPDATE`,
      [projectIds, pattern, most],
    );
  }

  async rewriteLetters(letters: readonly StoredLetter[]): Promise<void> {
    await this.database.query(
      `UPDATE dead_letters SET payload = rewritten.payload::jsonb, error = rewritten.error
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS rewritten (id, payload, error) WHERE dead_letters.id = rewritten.id`,
      [
        letters.map(({ id }) => id),
        letters.map(({ payload }) => JSON.stringify(payload)),
        letters.map(({ error }) => error),
      ],
    );
  }
}

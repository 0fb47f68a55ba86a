import type { Database } from '@posthorn/database';
import { holdsNothing } from './claims.repository.js';

export interface Look {
  ready: string[];
  suspects: boolean;
  nextMs: number | null;
  more: boolean;
}

const readyAtOnce = 1_000;

/** The only statement at rest. Waits for no lock: a stalled worker delays nobody; locked rows come later. */
export class LookRepository {
  constructor(private readonly database: Database) {}

  async look(kinds: readonly string[]): Promise<Look> {
    const [look] = await this.database.prepared<Look>({
      name: 'look for work',
      sql: lookSql,
      parameters: [kinds],
      skipsCommitListeners: true,
    });
    return look!;
  }
}

const lookSql = `
  WITH due AS (
    UPDATE work_items SET state = 'READY' WHERE id = ANY(ARRAY(
      SELECT id FROM work_items WHERE state = 'WAITING' AND due_at <= now() ORDER BY due_at LIMIT ${readyAtOnce} FOR UPDATE SKIP LOCKED))
    RETURNING kind
  ), taken_back AS (
    UPDATE work_items SET state = 'SUSPECT', worker_id = NULL, lease_token = lease_token + 1
    WHERE id = ANY(ARRAY(
      SELECT id FROM work_items WHERE state = 'CLAIMED' AND worker_id = ANY(ARRAY(SELECT id FROM work_workers WHERE expires_at <= now()))
      FOR UPDATE SKIP LOCKED))
    RETURNING kind
  ), forgotten AS (
    DELETE FROM work_workers WHERE id = ANY(ARRAY(
      SELECT id FROM work_workers w WHERE expires_at <= now() AND ${holdsNothing} FOR UPDATE OF w SKIP LOCKED))
  ), next AS (
    SELECT least(
      (SELECT due_at FROM work_items WHERE state = 'WAITING' AND due_at > now() ORDER BY due_at LIMIT 1),
      (SELECT min(expires_at) FROM work_workers WHERE expires_at > now()),
      (SELECT now() + interval '1 second' FROM work_workers w WHERE expires_at <= now() AND NOT ${holdsNothing} LIMIT 1)
    ) AS at
  )
  SELECT
    ARRAY(SELECT kind FROM unnest($1::text[]) AS k (kind)
          WHERE EXISTS (SELECT FROM work_items w WHERE w.state = 'READY' AND w.kind = k.kind) OR kind IN (SELECT kind FROM due)) AS ready,
    EXISTS (SELECT FROM work_items WHERE state = 'SUSPECT' AND kind = ANY($1)) OR EXISTS (SELECT FROM taken_back WHERE kind = ANY($1)) AS suspects,
    (SELECT extract(epoch FROM at - now())::float8 * 1000 FROM next) AS "nextMs",
    (SELECT count(*) FROM due) = ${readyAtOnce} AS more`;

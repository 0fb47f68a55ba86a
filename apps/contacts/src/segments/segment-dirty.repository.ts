import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { signals } from '@posthorn/work';
import { segmentUpkeepWork } from './segment-kinds.js';

const timeoutMs = 10_000;
const [minPauseMs, maxPauseMs] = [20, 200];

export interface ContactMark {
  projectId: string;
  contactId: string;
}

/** Has segments evaluate the contacts of the part `rows` (project_id, id). Nothing is marked in projects without a DYNAMIC segment. */
export const marksDirty = (rows: string): string => `
  marked AS (
    INSERT INTO segment_dirty (project_id, contact_id)
    SELECT changed.project_id, changed.id FROM ${rows} AS changed JOIN segment_watches USING (project_id) RETURNING project_id
  ), signalled AS (
    ${signals(segmentUpkeepWork, 'marked')}
  )`;

export class SegmentDirtyRepository {
  constructor(private readonly database: Database) {}

  /** In the commit of the change, after its writes. */
  async mark(rows: readonly ContactMark[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.query(
      `WITH given AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS m (project_id, id)), ${marksDirty('given')} SELECT`,
      [rows.map(({ projectId }) => projectId), rows.map(({ contactId }) => contactId)],
    );
  }

  // Outside of a transaction: writers that have begun may not mark contacts, and are waited for as in CREATE
  // INDEX CONCURRENTLY, without blocking other writers.
  async watch(projectId: string, deadline: Date | null): Promise<void> {
    const [known] = await this.database.query<{ settled: boolean }>(
      `SELECT settled FROM segment_watches WHERE project_id = $1`,
      [projectId],
    );
    if (known?.settled) return;
    await this.database.query(`INSERT INTO segment_watches (project_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
      projectId,
    ]);
    await this.waitForWriters(deadline);
    await this.database.query(`UPDATE segment_watches SET settled = true WHERE project_id = $1`, [projectId]);
  }

  private async waitForWriters(deadline: Date | null): Promise<void> {
    const until = performance.now() + timeoutMs;
    let { writing } = await this.writers(deadline);
    for (let pauseMs = minPauseMs; writing.length > 0; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await delay(pauseMs);
      const now = await this.writers(deadline);
      const still = new Set(now.writing);
      writing = writing.filter((each) => still.has(each));
      if (writing.length > 0 && (now.late || performance.now() > until)) throw unavailable();
    }
  }

  /** A statement takes this lock before its snapshot, and holds it until its transaction is visible to others. */
  private async writers(deadline: Date | null): Promise<{ writing: string[]; late: boolean }> {
    const [row] = await this.database.query<{ writing: string[]; late: boolean }>(
      `SELECT coalesce(array_agg(virtualtransaction), '{}') AS writing, coalesce(clock_timestamp() >= $1::timestamptz, false) AS late
       FROM pg_locks WHERE relation = 'segment_dirty'::regclass AND mode = 'RowExclusiveLock' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [deadline],
    );
    return row!;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { signals } from '@posthorn/work';
import { segmentUpkeepWork } from './segment-kinds.js';

const timeoutMs = 10_000;
const [soonestMs, latestMs] = [20, 200];

export interface ContactMark {
  projectId: string;
  contactId: string;
}

/**
 * Parts of a statement that changes what a segment can ask: `rows` names a part with the columns project_id and id of contacts. Of projects without
 * a segment that follows from a condition nothing is marked.
 */
export const marksDirty = (rows: string): string => `
  marked AS (
    INSERT INTO segment_dirty (project_id, contact_id)
    SELECT changed.project_id, changed.id FROM ${rows} AS changed JOIN segment_watches USING (project_id) RETURNING project_id
  ), signalled AS (
    ${signals(segmentUpkeepWork, 'marked')}
  )`;

/** Contacts whose segments are to be looked at again. Called in the commit of the change, after its writes. */
export class SegmentDirtyRepository {
  constructor(private readonly database: Database) {}

  async mark(rows: readonly ContactMark[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.query(
      `WITH given AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS m (project_id, id)), ${marksDirty('given')} SELECT`,
      [rows.map(({ projectId }) => projectId), rows.map(({ contactId }) => contactId)],
    );
  }

  /**
   * Before the first such segment of a project takes its baseline: whoever begins to write from now on marks; whoever is writing has perhaps not,
   * and is waited for as by CREATE INDEX CONCURRENTLY, so that no other writer waits; no longer than until the deadline of who asks. Outside of a transaction.
   */
  async watch(projectId: string, deadline: Date | null): Promise<void> {
    const [known] = await this.database.query<{ settled: boolean }>(
      `SELECT settled FROM segment_watches WHERE project_id = $1`,
      [projectId],
    );
    if (known?.settled) return;
    await this.database.query(`INSERT INTO segment_watches (project_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
      projectId,
    ]);
    await this.writersEnd(deadline);
    await this.database.query(`UPDATE segment_watches SET settled = true WHERE project_id = $1`, [projectId]);
  }

  private async writersEnd(deadline: Date | null): Promise<void> {
    const until = performance.now() + timeoutMs;
    let { writing } = await this.writers(deadline);
    for (let pauseMs = soonestMs; writing.length > 0; pauseMs = Math.min(2 * pauseMs, latestMs)) {
      await delay(pauseMs);
      const now = await this.writers(deadline);
      const still = new Set(now.writing);
      writing = writing.filter((each) => still.has(each));
      if (writing.length > 0 && (now.late || performance.now() > until)) throw unavailable();
    }
  }

  /** A statement takes this lock before it looks at what is committed, and its transaction gives it back after others see what it wrote. */
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

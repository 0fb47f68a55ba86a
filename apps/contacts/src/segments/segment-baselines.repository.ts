import type { Condition } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { signals, type WorkQueue } from '@posthorn/work';
import { compileCondition } from './compiling/compile-condition.js';
import { compileTurn } from './compiling/compile-turn.js';
import { ConditionStatement } from './condition-statement.js';
import { segmentUpkeepWork } from './segment-kinds.js';

export interface Baseline {
  projectId: string;
  segmentId: string;
  condition: Condition;
  now: Date;
  /** Whether changes by time are scheduled for each contact, as live segments need. */
  live: boolean;
}

export interface BaselineOptions {
  /** Have other segments evaluate those who entered or left. */
  mark?: boolean;
  /** Leave contacts alone that wait for evaluation, which will find and publish their change. */
  skipPending?: boolean;
}

/** Sorting and hashing a million contacts needs more memory than other statements; reset at the end of the transaction. */
const moreMemory = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;

/** Replaces the members of a segment by those whom its condition finds now, in a transaction that has locked the project. */
export class SegmentBaselines {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  async take(baseline: Baseline, options: BaselineOptions = {}): Promise<boolean> {
    await this.database.query(moreMemory);
    const changed = await this.replaceMembers(baseline, options);
    await this.scheduleTurns(baseline, options);
    return changed;
  }

  private async replaceMembers(
    { projectId, segmentId, condition, now }: Baseline,
    { mark, skipPending }: BaselineOptions,
  ): Promise<boolean> {
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const segment = `${scope.add(segmentId)}::uuid`;
    const [changed] = await this.database.query<{ entered: number; left: number }>(
      `WITH ${pending(segment, skipPending)}, wanted AS MATERIALIZED (
         SELECT c.id FROM contacts c WHERE ${statement.within('c')} AND ${compileCondition(condition, scope)}
       ), leaving AS MATERIALIZED (
         -- EXCEPT is hashed or sorted, while a join would become a nested loop if the planner takes a new table for tiny.
         SELECT contact_id FROM segment_members WHERE project_id = $1::uuid AND segment_id = ${segment} EXCEPT SELECT id FROM wanted
       ), removed AS (
         DELETE FROM segment_members m WHERE m.project_id = $1::uuid AND m.segment_id = ${segment}
           AND m.contact_id = ANY (ARRAY(SELECT contact_id FROM leaving)) AND ${isSettled('m.contact_id')} RETURNING m.contact_id
       ), entered AS (
         INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1::uuid, ${segment}, id FROM wanted WHERE ${isSettled('id')} ORDER BY id
         ON CONFLICT DO NOTHING RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT $1::uuid, ${segment}, entered.total - removed.total FROM (SELECT count(*) AS total FROM entered) AS entered, (SELECT count(*) AS total FROM removed) AS removed
         WHERE entered.total <> removed.total
       )${mark ? `, ${marks}` : ''}
       SELECT (SELECT count(*) FROM entered) AS entered, (SELECT count(*) FROM removed) AS "left"`,
      statement.parameters,
    );
    return changed!.entered + changed!.left > 0;
  }

  /** At most a year ahead; an evaluation then schedules the next one. */
  private async scheduleTurns(
    { projectId, segmentId, condition, now, live }: Baseline,
    { skipPending }: BaselineOptions,
  ): Promise<void> {
    await this.database.query(
      `WITH ${pending('$3::uuid', skipPending)}
       DELETE FROM segment_due d WHERE d.project_id = $1::uuid AND d.segment_id = $3::uuid AND $2::timestamptz IS NOT NULL AND ${isSettled('d.contact_id')}`,
      [projectId, now, segmentId],
    );
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const turn = live ? compileTurn(condition, scope) : undefined;
    if (turn === undefined) return;
    const segment = `${scope.add(segmentId)}::uuid`;
    const [{ next }] = (await this.database.query<{ next: Date | null }>(
      `WITH ${pending(segment, skipPending)}, put AS (
       INSERT INTO segment_due (project_id, contact_id, segment_id, due_at)
       SELECT $1::uuid, c.id, ${segment}, least(next.turn, $2::timestamptz + interval '1 year')
       FROM contacts c CROSS JOIN LATERAL (SELECT ${turn} AS turn) AS next
       WHERE ${statement.within('c')} AND next.turn IS NOT NULL AND ${isSettled('c.id')} RETURNING due_at
       ) SELECT min(due_at) AS next FROM put`,
      statement.parameters,
    )) as [{ next: Date | null }];
    if (next) await this.queue.enqueue(segmentUpkeepWork, [{ projectId, key: 'time', dueAt: next }]);
  }
}

const marks = `marked AS (
    INSERT INTO segment_dirty (project_id, contact_id) SELECT $1::uuid, contact_id FROM (TABLE entered UNION ALL TABLE removed) AS changed RETURNING project_id
  ), signalled AS (${signals(segmentUpkeepWork, 'marked')})`;

/** The contacts that wait for evaluation in this segment; nobody unless they are skipped. A change that commits meanwhile has its own mark. */
const pending = (segment: string, skip = false): string =>
  `pending AS MATERIALIZED (${
    skip
      ? `SELECT contact_id FROM segment_dirty WHERE project_id = $1::uuid
         UNION SELECT contact_id FROM segment_due WHERE project_id = $1::uuid AND segment_id = ${segment} AND due_at <= $2::timestamptz`
      : `SELECT NULL::uuid AS contact_id WHERE false`
  })`;

/** NOT IN is hashed, however few rows the planner expects. */
const isSettled = (contactId: string): string => `${contactId} NOT IN (SELECT contact_id FROM pending)`;

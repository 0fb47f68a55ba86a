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
  /** Whether time is watched for each contact: for what is kept live. */
  live: boolean;
}

export interface Taking {
  /** Other segments look at those who came or left again. */
  mark?: boolean;
  /** Who is still to be looked at stays as known: that look is to find what changed, and tells it. */
  sparePending?: boolean;
}

/** Sorting and hashing a million contacts wants memory of its own; the next transaction has what it always has. */
const roomy = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;

/** Members of a segment as its condition finds them now, whatever was there before; inside the caller's transaction, which holds the project. */
export class SegmentBaselines {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  /** Answers whether anybody came or left. */
  async take(baseline: Baseline, taking: Taking = {}): Promise<boolean> {
    await this.database.query(roomy);
    const changed = await this.members(baseline, taking);
    await this.turns(baseline, taking);
    return changed;
  }

  private async members(
    { projectId, segmentId, condition, now }: Baseline,
    { mark, sparePending }: Taking,
  ): Promise<boolean> {
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const segment = `${scope.add(segmentId)}::uuid`;
    const [changed] = await this.database.query<{ came: number; gone: number }>(
      `WITH ${pending(segment, sparePending)}, wanted AS MATERIALIZED (
         SELECT c.id FROM contacts c WHERE ${statement.within('c')} AND ${compileCondition(condition, scope)}
       ), leaving AS MATERIALIZED (
         -- By EXCEPT, which is hashed or sorted whatever the planner knows of a young table: a join of two sets that it takes for tiny is a nested loop.
         SELECT contact_id FROM segment_members WHERE project_id = $1::uuid AND segment_id = ${segment} EXCEPT SELECT id FROM wanted
       ), gone AS (
         DELETE FROM segment_members m WHERE m.project_id = $1::uuid AND m.segment_id = ${segment}
           AND m.contact_id = ANY (ARRAY(SELECT contact_id FROM leaving)) AND ${isSettled('m.contact_id')} RETURNING m.contact_id
       ), came AS (
         INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1::uuid, ${segment}, id FROM wanted WHERE ${isSettled('id')} ORDER BY id
         ON CONFLICT DO NOTHING RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT $1::uuid, ${segment}, came.total - gone.total FROM (SELECT count(*) AS total FROM came) AS came, (SELECT count(*) AS total FROM gone) AS gone
         WHERE came.total <> gone.total
       )${mark ? `, ${marks}` : ''}
       SELECT (SELECT count(*) FROM came) AS came, (SELECT count(*) FROM gone) AS gone`,
      statement.parameters,
    );
    return changed!.came + changed!.gone > 0;
  }

  /** No later than a year from now: whoever is looked at then is given the next turn. */
  private async turns(
    { projectId, segmentId, condition, now, live }: Baseline,
    { sparePending }: Taking,
  ): Promise<void> {
    await this.database.query(
      `WITH ${pending('$3::uuid', sparePending)}
       DELETE FROM segment_due d WHERE d.project_id = $1::uuid AND d.segment_id = $3::uuid AND $2::timestamptz IS NOT NULL AND ${isSettled('d.contact_id')}`,
      [projectId, now, segmentId],
    );
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const turn = live ? compileTurn(condition, scope) : undefined;
    if (turn === undefined) return;
    const segment = `${scope.add(segmentId)}::uuid`;
    const [{ next }] = (await this.database.query<{ next: Date | null }>(
      `WITH ${pending(segment, sparePending)}, put AS (
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
    INSERT INTO segment_dirty (project_id, contact_id) SELECT $1::uuid, contact_id FROM (TABLE came UNION ALL TABLE gone) AS changed RETURNING project_id
  ), signalled AS (${signals(segmentUpkeepWork, 'marked')})`;

/** Those who are marked, or whose time in this segment has come, where they are spared. A change that is committed meanwhile has its mark. */
const pending = (segment: string, spare = false): string =>
  `pending AS MATERIALIZED (${
    spare
      ? `SELECT contact_id FROM segment_dirty WHERE project_id = $1::uuid
         UNION SELECT contact_id FROM segment_due WHERE project_id = $1::uuid AND segment_id = ${segment} AND due_at <= $2::timestamptz`
      : `SELECT NULL::uuid AS contact_id WHERE false`
  })`;

/** Hashed, however few the planner takes them for. */
const isSettled = (contactId: string): string => `${contactId} NOT IN (SELECT contact_id FROM pending)`;

import type { Condition } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { compileCondition } from './compiling/compile-condition.js';
import { compileTurn } from './compiling/compile-turn.js';
import { ConditionStatement } from './condition-statement.js';

export interface Baseline {
  projectId: string;
  segmentId: string;
  condition: Condition;
  now: Date;
  /** Whether time is watched for each contact: for what is kept live. */
  live: boolean;
}

/** Sorting and hashing a million contacts wants memory of its own; the next transaction has what it always has. */
const roomy = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;

/** Members of a segment as its condition finds them now, whatever was there before; inside the caller's transaction, which holds the project. */
export class SegmentBaselines {
  constructor(private readonly database: Database) {}

  /** Answers whether anybody came or left. With `mark`, other segments look at these contacts again. */
  async take(baseline: Baseline, { mark = false } = {}): Promise<boolean> {
    await this.database.query(roomy);
    const changed = await this.members(baseline, mark);
    await this.turns(baseline);
    return changed;
  }

  private async members({ projectId, segmentId, condition, now }: Baseline, mark: boolean): Promise<boolean> {
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const segment = `${scope.add(segmentId)}::uuid`;
    const [changed] = await this.database.query<{ came: number; gone: number }>(
      `WITH wanted AS MATERIALIZED (
         SELECT c.id FROM contacts c WHERE ${statement.within('c')} AND ${compileCondition(condition, scope)}
       ), gone AS (
         DELETE FROM segment_members m WHERE m.project_id = $1::uuid AND m.segment_id = ${segment}
           AND NOT EXISTS (SELECT FROM wanted WHERE wanted.id = m.contact_id) RETURNING m.contact_id
       ), came AS (
         INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1::uuid, ${segment}, id FROM wanted ORDER BY id
         ON CONFLICT DO NOTHING RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT $1::uuid, ${segment}, came.total - gone.total FROM (SELECT count(*) AS total FROM came) AS came, (SELECT count(*) AS total FROM gone) AS gone
         WHERE came.total <> gone.total
       )${mark ? `, marked AS (INSERT INTO segment_dirty (project_id, contact_id) SELECT $1::uuid, contact_id FROM (TABLE came UNION ALL TABLE gone) AS changed)` : ''}
       SELECT (SELECT count(*) FROM came) AS came, (SELECT count(*) FROM gone) AS gone`,
      statement.parameters,
    );
    return changed!.came + changed!.gone > 0;
  }

  /** No later than a year from now: whoever is looked at then is given the next turn. */
  private async turns({ projectId, segmentId, condition, now, live }: Baseline): Promise<void> {
    await this.database.query(`DELETE FROM segment_due WHERE project_id = $1 AND segment_id = $2`, [projectId, segmentId]);
    const statement = new ConditionStatement(projectId, now);
    const scope = statement.scope('c');
    const turn = live ? compileTurn(condition, scope) : undefined;
    if (turn === undefined) return;
    await this.database.query(
      `INSERT INTO segment_due (project_id, contact_id, segment_id, due_at)
       SELECT $1::uuid, c.id, ${scope.add(segmentId)}::uuid, least(next.turn, $2::timestamptz + interval '1 year')
       FROM contacts c CROSS JOIN LATERAL (SELECT ${turn} AS turn) AS next
       WHERE ${statement.within('c')} AND next.turn IS NOT NULL`,
      statement.parameters,
    );
  }
}

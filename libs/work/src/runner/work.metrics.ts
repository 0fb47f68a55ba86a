import type { Database } from '@posthorn/database';
import { counter, gauge, type Metrics } from '@posthorn/telemetry';

const settled = counter('posthorn_work_settled_total', 'Items of work, by what became of them.', [
  'kind',
  'outcome',
]);
const inFlight = gauge('posthorn_work_in_flight', 'Items of work that this process has claimed.', ['kind']);
const oldestDue = gauge(
  'posthorn_work_oldest_due_seconds',
  'How long the first item of work that is due has waited.',
  ['kind'],
);
const dead = gauge(
  'posthorn_work_dead',
  'Items of work that no further try is made for; counted up to 10 000 a kind.',
  ['kind'],
);

type Series = readonly (readonly [{ kind: string }, number])[];

export class WorkMetrics {
  readonly settled;

  constructor(
    metrics: Metrics,
    private readonly database: Database,
    private readonly kinds: () => readonly string[],
    held: (kind: string) => number,
  ) {
    this.settled = metrics.counter(settled);
    metrics.gauge(inFlight, () => kinds().map((kind) => [{ kind }, held(kind)] as const));
    metrics.gauge(oldestDue, () => this.byKind(oldestSql));
    metrics.gauge(dead, () => this.byKind(deadSql));
  }

  private async byKind(sql: string): Promise<Series> {
    const kinds = this.kinds();
    if (kinds.length === 0) return [];
    const rows = await this.database.query<{ kind: string; value: number }>(sql);
    const values = new Map(rows.map(({ kind, value }) => [kind, value]));
    return kinds.map((kind) => [{ kind }, values.get(kind) ?? 0] as const);
  }
}

const oldestSql = `
  WITH RECURSIVE first AS (
    (SELECT kind, project_id, due_at FROM work_items WHERE state = 'READY' ORDER BY kind, project_id, priority, due_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM first, LATERAL (
      SELECT kind, project_id, due_at FROM work_items WHERE state = 'READY' AND (kind, project_id) > (first.kind, first.project_id)
      ORDER BY kind, project_id, priority, due_at LIMIT 1
    ) AS next
  )
  SELECT kind, greatest(0, extract(epoch FROM now() - min(due_at)))::float8 AS value FROM (SELECT * FROM first LIMIT 10000) AS first GROUP BY kind`;

const deadSql = `
  SELECT kind, count(*)::int AS value FROM (SELECT kind FROM work_items WHERE state = 'DEAD' LIMIT 10000) AS dead GROUP BY kind`;

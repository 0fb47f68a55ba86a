import { newId, type Database } from '@posthorn/database';
import type { WakeUps } from '@posthorn/messaging';
import { currentTraces } from '@posthorn/telemetry';
import type { WorkKind } from './work-kind.js';

export type Priority = 'HIGH' | 'NORMAL' | 'LOW';

export interface NewWork<Payload extends object> {
  projectId: string;
  payload?: Payload;
  /** `OnDuplicate` decides about a second item with this key. A claimed item runs once more. */
  key?: string;
  group?: string;
  dueAt?: Date;
  delayMs?: number;
  priority?: Priority;
}

/** SOONER keeps the earlier time, REPLACE takes the new time and payload. */
export type OnDuplicate = 'SOONER' | 'REPLACE';

const priorities: Readonly<Record<Priority, number>> = { HIGH: 0, NORMAL: 1, LOW: 2 };
const pausedAtOnce = 1_000;

/** Everything joins the ambient transaction; workers are woken after its commit. */
export class WorkQueue {
  constructor(
    private readonly database: Database,
    private readonly wakeUps: WakeUps,
  ) {}

  async enqueue<Payload extends object>(
    kind: WorkKind<Payload>,
    items: readonly NewWork<Payload>[],
    onDuplicate: OnDuplicate = 'SOONER',
  ): Promise<void> {
    // One statement cannot insert a key twice; the last item counts.
    const distinct = [
      ...new Map(
        items.map((item, index) => [item.key === undefined ? index : `${item.projectId} ${item.key}`, item]),
      ).values(),
    ];
    if (distinct.length === 0) return;
    const traces = currentTraces();
    const columns: Record<string, unknown[]> = {
      'id uuid': distinct.map(newId),
      'project_id uuid': distinct.map(({ projectId }) => projectId),
      'key text': distinct.map(({ key = null }) => key),
      'group_key text': distinct.map(({ group = '' }) => group),
      'priority smallint': distinct.map(({ priority = 'NORMAL' }) => priorities[priority]),
      'due_at timestamptz': distinct.map(({ dueAt = null }) => dueAt),
      'delay_ms float8': distinct.map(({ delayMs = 0 }) => delayMs),
      'payload jsonb': distinct.map(({ payload = {} }) => JSON.stringify(payload)),
    };
    await this.database.often(enqueueSql(Object.keys(columns), onDuplicate), [
      kind.name,
      kind.exclusive,
      traces,
      ...Object.values(columns),
    ]);
    this.wakeAfterCommit();
  }

  wakeAfterCommit(): void {
    this.database.afterCommit(() => this.wakeUps.send('work'));
  }

  /** Also while the item is claimed: its handler can then no longer complete it. False where there is none. */
  async cancel(kind: WorkKind, projectId: string, key: string): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM work_items WHERE kind = $1 AND project_id = $2 AND key = $3 AND state <> 'DEAD' RETURNING id`,
      [kind.name, projectId, key],
    );
    return removed.length > 0;
  }

  /** Those that nobody works on. */
  async cancelWaiting(kind: WorkKind, projectId: string, keys: readonly string[]): Promise<void> {
    await this.database.query(
      `DELETE FROM work_items WHERE kind = $1 AND project_id = $2 AND key = ANY ($3::text[]) AND state IN ('READY', 'WAITING', 'PAUSED')`,
      [kind.name, projectId, keys],
    );
  }

  async pause(kind: WorkKind, projectId: string, group = ''): Promise<void> {
    await this.database.query(
      `INSERT INTO work_pauses (kind, project_id, group_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [kind.name, projectId, group],
    );
    await this.moveAll(
      `UPDATE work_items SET state = 'PAUSED' WHERE id = ANY(ARRAY(
         SELECT id FROM work_items WHERE kind = $1 AND project_id = $2 AND ($3 = '' OR group_key = $3) AND state IN ('READY', 'WAITING')
         LIMIT ${pausedAtOnce} FOR UPDATE SKIP LOCKED)) RETURNING id`,
      [kind.name, projectId, group],
    );
  }

  async resume(kind: WorkKind, projectId: string, group = ''): Promise<void> {
    await this.database.query(
      `DELETE FROM work_pauses WHERE kind = $1 AND project_id = $2 AND group_key = $3`,
      [kind.name, projectId, group],
    );
    await this.moveAll(
      `UPDATE work_items i SET state = CASE WHEN due_at > now() THEN 'WAITING' ELSE 'READY' END WHERE id = ANY(ARRAY(
         SELECT id FROM work_items p WHERE kind = $1 AND project_id = $2 AND ($3 = '' OR group_key = $3) AND state = 'PAUSED' AND ${isNotPaused('p')}
         ORDER BY key LIMIT ${pausedAtOnce} FOR UPDATE)) RETURNING id`,
      [kind.name, projectId, group],
    );
    this.wakeAfterCommit();
  }

  private async moveAll(sql: string, parameters: unknown[]): Promise<void> {
    let moved: unknown[];
    do moved = await this.database.query(sql, parameters);
    while (moved.length === pausedAtOnce);
  }
}

export const isNotPaused = (item: string): string =>
  `NOT EXISTS (SELECT FROM work_pauses s WHERE s.kind = ${item}.kind AND s.project_id = ${item}.project_id AND s.group_key IN ('', ${item}.group_key))`;

/** The part of a statement that enqueues a signal for each project of `rows`. Call `wakeAfterCommit` beside it. */
export const signals = (kind: WorkKind, rows: string): string =>
  `INSERT INTO work_items (id, kind, project_id, exclusive, state)
   SELECT gen_random_uuid(), '${kind.name}', changed.project_id, ${kind.exclusive}, 'READY' FROM (SELECT DISTINCT project_id FROM ${rows}) AS changed`;

const stateAt = (dueAt: string): string => `CASE WHEN ${dueAt} > now() THEN 'WAITING' ELSE 'READY' END`;

const updates: Readonly<Record<OnDuplicate, string>> = {
  SOONER: `due_at = CASE WHEN known.state = 'CLAIMED' AND NOT known.again THEN excluded.due_at ELSE least(known.due_at, excluded.due_at) END, ${becomes('least(known.due_at, excluded.due_at)')}
    WHERE known.state = 'CLAIMED' OR excluded.due_at < known.due_at`,
  REPLACE: `due_at = excluded.due_at, payload = excluded.payload, ${becomes('excluded.due_at')}`,
};

function becomes(dueAt: string): string {
  return `again = known.state = 'CLAIMED', state = CASE WHEN known.state IN ('WAITING', 'READY') THEN ${stateAt(dueAt)} ELSE known.state END`;
}

/** A pause that is read here cannot be lifted before the commit: the item might stay paused. */
function enqueueSql(columns: readonly string[], onDuplicate: OnDuplicate): string {
  const unnested = columns.map((column, index) => `$${index + 4}::${column.split(' ')[1]}[]`).join(', ');
  const names = columns.map((column) => column.split(' ')[0]).join(', ');
  return `
    WITH given AS (SELECT * FROM unnest(${unnested}) AS g (${names})),
    timed AS (SELECT given.*, coalesce(due_at, now() + delay_ms * interval '1 millisecond') AS due FROM given),
    paused AS MATERIALIZED (
      SELECT project_id, group_key FROM work_pauses WHERE kind = $1 AND project_id IN (SELECT project_id FROM given) FOR KEY SHARE
    )
    INSERT INTO work_items AS known (id, kind, project_id, key, group_key, priority, due_at, payload, exclusive, traces, state)
    SELECT id, $1::text, project_id, key, group_key, priority, due, payload, $2, $3::text,
           CASE WHEN EXISTS (SELECT FROM paused p WHERE p.project_id = timed.project_id AND p.group_key IN ('', timed.group_key))
             THEN 'PAUSED' ELSE ${stateAt('due')} END
    FROM timed ORDER BY project_id, key
    ON CONFLICT (kind, project_id, key) WHERE key IS NOT NULL AND state <> 'DEAD' DO UPDATE SET ${updates[onDuplicate]}`;
}

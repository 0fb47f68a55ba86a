import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@posthorn/database';
import type pg from 'pg';
import { inDatabase } from '../databases.js';
import type { Crowd } from './crowd.js';
import { stepsOfGraph, timerMs } from './six-steps.js';

const atOnce = 64;
const restMs = 5;
const ofWorkflow = '00000000-0000-0000-0000-000000000000';
/** Each execution is written when it starts and when each of its two timers is over. */
const lastStop = 2;

const tablesSql = `
  DROP TABLE IF EXISTS entries_by_hand, executions_by_hand, steps_by_hand, counts_by_hand;
  CREATE TABLE entries_by_hand (LIKE workflow_entries INCLUDING ALL);
  CREATE TABLE executions_by_hand (LIKE executions INCLUDING ALL);
  CREATE INDEX ON executions_by_hand (project_id, due_at) WHERE ended_at IS NULL;
  CREATE TABLE steps_by_hand (LIKE execution_steps INCLUDING ALL);
  CREATE TABLE counts_by_hand (LIKE workflow_counts INCLUDING ALL)`;

const entriesSql = `INSERT INTO entries_by_hand (project_id, workflow_id, contact_id) SELECT $1::uuid, $2::uuid, unnest($3::uuid[])`;

const startSql = `INSERT INTO executions_by_hand
    (project_id, id, workflow_id, workflow_version, generation, contact_id, status, current_step_id, visits, wait, due_at, event)
  SELECT $1::uuid, id, $2::uuid, 2, 1, contact_id, 'WAITING', $5::uuid, $6::jsonb, 'TIME', now() + interval '${timerMs} ms',
    '{"id": "${ofWorkflow}", "name": "bench", "data": null}'::jsonb
  FROM unnest($3::uuid[], $4::uuid[]) AS given (id, contact_id)`;

const dueSql = `SELECT id, current_step_id AS "stepId" FROM executions_by_hand
  WHERE project_id = $1 AND ended_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT ${atOnce} FOR UPDATE SKIP LOCKED`;

const moveSql = `UPDATE executions_by_hand SET status = CASE WHEN $5::boolean THEN 'EXITED' ELSE 'WAITING' END, wait = CASE WHEN NOT $5 THEN 'TIME' END,
    current_step_id = $3::uuid, visits = $4::jsonb, due_at = CASE WHEN NOT $5 THEN now() + interval '${timerMs} ms' END,
    ended_at = CASE WHEN $5 THEN now() END, entered_at = now(), turn = turn + 1
  WHERE project_id = $1 AND id = ANY ($2::uuid[])`;

const visitsSql = `INSERT INTO steps_by_hand (project_id, execution_id, id, step_id, visit, status, entered_at, due_at, ended_at, branch)
  SELECT $1::uuid, execution_id, id, step_id, 1, status, now(), CASE WHEN status = 'WAITING' THEN now() + interval '${timerMs} ms' END,
    CASE WHEN status = 'DONE' THEN now() END, branch
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[]) AS given (execution_id, id, step_id, status, branch)
  ON CONFLICT (project_id, execution_id, step_id, visit) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at, branch = excluded.branch`;

const countsSql = `INSERT INTO counts_by_hand AS known (project_id, workflow_id, step_id, counter, value)
  SELECT $1::uuid, $2::uuid, given.* FROM unnest($3::uuid[], $4::text[], $5::bigint[]) AS given
  ON CONFLICT (project_id, workflow_id, step_id, counter) DO UPDATE SET value = known.value + excluded.value`;

type Count = [stepId: string, counter: string, by: number];

/** The rows of the same executions into tables with the same indexes, in transactions of 64: a connection for each project, as the engine has a place for each. */
export async function stepsByHand(url: string, crowds: readonly Crowd[]): Promise<number> {
  return inDatabase(url, async (client) => {
    await client.query(tablesSql);
    await client.query('CHECKPOINT');
    const began = performance.now();
    await Promise.all(crowds.map((crowd) => inDatabase(url, (own) => new Lane(own, crowd).run())));
    const seconds = (performance.now() - began) / 1_000;
    const { rows } = await client.query<{ done: number }>(
      `SELECT count(*)::int AS done FROM steps_by_hand WHERE status = 'DONE'`,
    );
    const steps = crowds.reduce((sum, { contactIds }) => sum + contactIds.length * stepsOfGraph, 0);
    if (rows[0]!.done !== steps) throw new Error(`by hand ${rows[0]!.done} of ${steps} steps were done`);
    await client.query('DROP TABLE entries_by_hand, executions_by_hand, steps_by_hand, counts_by_hand');
    return steps / seconds;
  });
}

class Lane {
  private readonly projectId: string;
  private readonly workflowId = newId();
  private readonly stepIds = Array.from({ length: stepsOfGraph }, newId);

  constructor(
    private readonly client: pg.Client,
    private readonly crowd: Crowd,
  ) {
    this.projectId = crowd.audience.api.projectId;
  }

  async run(): Promise<void> {
    const { contactIds } = this.crowd;
    for (let from = 0; from < contactIds.length; from += atOnce)
      await this.inTransaction(() => this.start(contactIds.slice(from, from + atOnce)));
    for (let open = contactIds.length; open > 0;) {
      const { moved, ended } = await this.inTransaction(() => this.goOn());
      open -= ended;
      if (moved === 0) await delay(restMs);
    }
  }

  private async start(contactIds: readonly string[]): Promise<void> {
    const ids = contactIds.map(newId);
    await this.query('entries', entriesSql, [this.workflowId, contactIds]);
    await this.query('start', startSql, [this.workflowId, ids, contactIds, this.stepIds[2], this.visits(0)]);
    await this.write(0, ids);
  }

  private async goOn(): Promise<{ moved: number; ended: number }> {
    const due = await this.query<{ id: string; stepId: string }>('due', dueSql, []);
    let ended = 0;
    for (const [stepId, those] of Map.groupBy(due, (each) => each.stepId)) {
      const stop = this.stepIds.indexOf(stepId) / 2;
      const ids = those.map(({ id }) => id);
      const isLast = stop === lastStop;
      const next = this.stepIds[Math.min(stepsOfGraph - 1, 2 * stop + 2)];
      await this.query('move', moveSql, [ids, next, this.visits(stop), isLast]);
      await this.write(stop, ids);
      if (isLast) ended += ids.length;
    }
    return { moved: due.length, ended };
  }

  /** Of each stop the two steps that are done, and the timer that is next. */
  private async write(stop: number, ids: readonly string[]): Promise<void> {
    const places = [2 * stop, 2 * stop + 1, ...(stop < lastStop ? [2 * stop + 2] : [])];
    const visits = ids.flatMap((id) => places.map((place) => ({ id, place, isDone: place < 2 * stop + 2 })));
    await this.query('visits', visitsSql, [
      visits.map(({ id }) => id),
      visits.map(newId),
      visits.map(({ place }) => this.stepIds[place]),
      visits.map(({ isDone }) => (isDone ? 'DONE' : 'WAITING')),
      visits.map(({ place, isDone }) => (isDone && place % 2 === 1 && place < 5 ? 'yes' : null)),
    ]);
    const counts = this.countsOf(stop, ids.length);
    await this.query('counts', countsSql, [
      this.workflowId,
      counts.map(([stepId]) => stepId),
      counts.map(([, counter]) => counter),
      counts.map(([, , by]) => by),
    ]);
  }

  private countsOf(stop: number, executions: number): Count[] {
    const [first, second, next] = [0, 1, 2].map((place) => this.stepIds[2 * stop + place]);
    const counts: Count[] = [
      stop === 0 ? [first!, 'ENTERED', 1] : [first!, 'WAITING', -1],
      [first!, 'DONE', 1],
      [second!, 'ENTERED', 1],
      [second!, 'DONE', 1],
    ];
    if (next !== undefined) counts.push([next, 'ENTERED', 1], [next, 'WAITING', 1]);
    if (stop === 0) counts.push([ofWorkflow, 'WAITING', 1]);
    if (stop === lastStop) counts.push([ofWorkflow, 'WAITING', -1], [ofWorkflow, 'EXITED', 1]);
    return counts.map(([stepId, counter, by]) => [stepId, counter, by * executions]);
  }

  private visits(stop: number): string {
    const visited = this.stepIds.slice(0, 2 * stop + 3);
    return JSON.stringify(Object.fromEntries(visited.map((stepId) => [stepId, 1])));
  }

  private async query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return (await this.client.query<Row>({ name, text, values: [this.projectId, ...values] })).rows;
  }

  private async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await this.client.query('BEGIN');
    const result = await work();
    await this.client.query('COMMIT');
    return result;
  }
}

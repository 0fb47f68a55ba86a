import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@posthorn/database';
import type pg from 'pg';
import { inDatabase } from '../databases.js';
import type { Crowd } from './crowd.js';
import { stepsOfGraph, timerMs } from './six-steps.js';

const atOnce = 64;
/** As many as the engine has places. */
const connections = 4;
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
  SELECT $1::uuid, $2::uuid, step_id, counter, value FROM unnest($3::uuid[], $4::text[], $5::bigint[]) AS given (step_id, counter, value)
  ORDER BY step_id, counter
  ON CONFLICT (project_id, workflow_id, step_id, counter) DO UPDATE SET value = known.value + excluded.value`;

/** The rows of the same executions into tables with the same indexes, in transactions of 64. */
export async function stepsByHand(url: string, crowds: readonly Crowd[]): Promise<number> {
  return inDatabase(url, async (client) => {
    await client.query(tablesSql);
    await client.query('CHECKPOINT');
    const began = performance.now();
    const lanes = crowds.flatMap((crowd) => {
      const shared = new Shared(crowd);
      return Array.from({ length: connections / crowds.length }, () => shared);
    });
    await Promise.all(lanes.map((shared) => inDatabase(url, (own) => new Lane(own, shared).run())));
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

/** One workflow, of which several connections do the work. */
class Shared {
  readonly projectId: string;
  readonly workflowId = newId();
  readonly stepIds = Array.from({ length: stepsOfGraph }, newId);
  private readonly contactIds: string[];
  open: number;

  constructor({ audience, contactIds }: Crowd) {
    this.projectId = audience.api.projectId;
    this.contactIds = [...contactIds];
    this.open = contactIds.length;
  }

  next(): string[] {
    return this.contactIds.splice(0, atOnce);
  }
}

class Lane {
  constructor(
    private readonly client: pg.Client,
    private readonly shared: Shared,
  ) {}

  async run(): Promise<void> {
    const { shared } = this;
    for (let contactIds = shared.next(); contactIds.length > 0; contactIds = shared.next())
      await this.inTransaction(() => this.start(contactIds));
    while (shared.open > 0) {
      const { moved, ended } = await this.inTransaction(() => this.goOn());
      shared.open -= ended;
      if (moved === 0) await delay(restMs);
    }
  }

  private async start(contactIds: readonly string[]): Promise<void> {
    const { workflowId, stepIds } = this.shared;
    const ids = contactIds.map(newId);
    await this.query('entries', entriesSql, [workflowId, contactIds]);
    await this.query('start', startSql, [workflowId, ids, contactIds, stepIds[2], this.visits(0)]);
    await this.writeVisits(0, ids);
    await this.count([{ stop: 0, executions: ids.length }]);
  }

  private async goOn(): Promise<{ moved: number; ended: number }> {
    const { stepIds } = this.shared;
    const due = await this.query<{ id: string; stepId: string }>('due', dueSql, []);
    const moves: Move[] = [];
    for (const [stepId, those] of Map.groupBy(due, (each) => each.stepId)) {
      const stop = stepIds.indexOf(stepId) / 2;
      const ids = those.map(({ id }) => id);
      const next = stepIds[Math.min(stepsOfGraph - 1, 2 * stop + 2)];
      await this.query('move', moveSql, [ids, next, this.visits(stop), stop === lastStop]);
      await this.writeVisits(stop, ids);
      moves.push({ stop, executions: ids.length });
    }
    await this.count(moves);
    const ended = moves.find(({ stop }) => stop === lastStop)?.executions ?? 0;
    return { moved: due.length, ended };
  }

  /** Of each stop the two steps that are done, and the timer that is next. */
  private async writeVisits(stop: number, ids: readonly string[]): Promise<void> {
    const done = [2 * stop, 2 * stop + 1].map((index) => ({ index, status: 'DONE' }));
    const states = stop < lastStop ? [...done, { index: 2 * stop + 2, status: 'WAITING' }] : done;
    const visits = ids.flatMap((id) => states.map((state) => ({ id, ...state })));
    const isCondition = (index: number) => index === 1 || index === 3;
    await this.query('visits', visitsSql, [
      visits.map(({ id }) => id),
      visits.map(newId),
      visits.map(({ index }) => this.shared.stepIds[index]),
      visits.map(({ status }) => status),
      visits.map(({ index }) => (isCondition(index) ? 'yes' : null)),
    ]);
  }

  /** Last in the transaction: the connections wait for each other's sums. */
  private async count(moves: readonly Move[]): Promise<void> {
    const sums = new Map<string, [stepId: string, counter: string, value: number]>();
    for (const [stepId, counter, value] of moves.flatMap((move) => this.countsOf(move))) {
      const key = `${stepId} ${counter}`;
      sums.set(key, [stepId, counter, value + (sums.get(key)?.[2] ?? 0)]);
    }
    if (sums.size === 0) return;
    const counts = [...sums.values()];
    await this.query('counts', countsSql, [
      this.shared.workflowId,
      counts.map(([stepId]) => stepId),
      counts.map(([, counter]) => counter),
      counts.map(([, , value]) => value),
    ]);
  }

  private countsOf({ stop, executions }: Move): [stepId: string, counter: string, value: number][] {
    const [first, second, next] = this.shared.stepIds.slice(2 * stop, 2 * stop + 3);
    const counts: [string, string, number][] = [
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
    const visited = this.shared.stepIds.slice(0, 2 * stop + 3);
    return JSON.stringify(Object.fromEntries(visited.map((stepId) => [stepId, 1])));
  }

  private async query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return (await this.client.query<Row>({ name, text, values: [this.shared.projectId, ...values] })).rows;
  }

  private async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await this.client.query('BEGIN');
    const result = await work();
    await this.client.query('COMMIT');
    return result;
  }
}

interface Move {
  stop: number;
  executions: number;
}

import type { Authority } from '@posthorn/contracts';
import { columnsOf, newId, type Database } from '@posthorn/database';
import type { OccurredEvent } from '../executions/execution-row.js';
import type { StartEntry } from '../work-kinds.js';

/** A workflow that is about to start; locked against a pause until the end of the transaction. */
export interface Startable {
  version: number;
  generation: number;
  triggerId: string;
  allowReentry: boolean;
  /** Starts that the hourly cap leaves for this hour; null without a cap. */
  left: number | null;
  nextHour: Date;
  secondsLeft: number;
}

export interface StartedExecution {
  id: string;
  contactId: string;
  /** Too many executions led to it. */
  isStopped: boolean;
}

export interface Triggered {
  id: string;
  eventName: string;
}

type Hour = Pick<Startable, 'left' | 'nextHour' | 'secondsLeft'>;

/** By a call. */
export interface StartedBy {
  context: object;
  /** Who confines the execution. */
  starter: Authority | null;
}

interface NewExecution extends StartEntry, StartedBy {
  id: string;
}

const rows = columnsOf<NewExecution>([
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'context', type: 'jsonb', value: ({ context }) => JSON.stringify(context) },
  { column: 'event', type: 'jsonb', value: ({ event }) => event && JSON.stringify(event) },
  { column: 'cause', type: 'uuid', value: ({ event }) => executionIn(event?.cause) },
  {
    column: 'caused_at',
    type: 'timestamptz',
    value: ({ event }) => (event?.cause === 'RECENT' ? (event.at ?? null) : null),
  },
  { column: 'starter', type: 'jsonb', value: ({ starter }) => starter && JSON.stringify(starter) },
]);

const executionIn = (cause: OccurredEvent['cause']): string | null =>
  typeof cause === 'object' ? cause.executionId : null;

export class StartsRepository {
  constructor(private readonly database: Database) {}

  /** Enabled workflows of the project by the name of the event that starts them, in the order of their ids. */
  async triggeredBy(
    projectId: string,
    names: readonly string[],
    limit: number,
    after: string | null = null,
  ): Promise<Triggered[]> {
    return this.database.often(
      `SELECT id, event_name AS "eventName" FROM workflows
       WHERE project_id = $1 AND enabled AND trigger_type = 'EVENT' AND event_name = ANY ($2::text[]) AND ($4::uuid IS NULL OR id > $4)
       ORDER BY id LIMIT $3`,
      [projectId, names, limit, after],
    );
  }

  /** Null where it is not enabled. Starts of a workflow with a cap are one after another. */
  async lock(projectId: string, workflowId: string): Promise<Startable | null> {
    const [locked] = await this.database.often<{ cap: number | null } & Omit<Startable, keyof Hour>>(
      `SELECT version, generation, allow_reentry AS "allowReentry", max_executions_per_hour AS cap,
         (SELECT id FROM workflow_steps s WHERE s.project_id = w.project_id AND s.workflow_id = w.id AND s.type = 'TRIGGER' LIMIT 1) AS "triggerId"
       FROM workflows w WHERE project_id = $1 AND id = $2 AND enabled FOR SHARE`,
      [projectId, workflowId],
    );
    if (!locked) return null;
    const { cap, ...startable } = locked;
    return { ...startable, ...(await this.hourOf(projectId, workflowId, cap)) };
  }

  /** Who may enter: not twice at a time and, without re-entry, not twice ever. Returns the new executions. */
  async insert(
    projectId: string,
    workflowId: string,
    { version, generation, triggerId, allowReentry }: Startable,
    entries: readonly StartEntry[],
    { context = {}, starter = null }: Partial<StartedBy> = {},
  ): Promise<StartedExecution[]> {
    const executions = [...new Map(entries.map((entry) => [entry.contactId, entry])).values()].map(
      (entry) => ({
        ...entry,
        id: newId(),
        context,
        starter,
      }),
    );
    return this.database.query(
      `WITH given AS (
         SELECT g.*, coalesce(
           (SELECT x.depth + 1 FROM executions x WHERE x.project_id = $1 AND x.id = g.cause),
           (SELECT max(x.depth) + 1 FROM executions x WHERE g.caused_at IS NOT NULL AND x.project_id = $1 AND x.contact_id = g.contact_id AND EXISTS (
              SELECT FROM execution_steps s WHERE s.project_id = $1 AND s.execution_id = x.id AND s.input ? 'updates'
                AND s.entered_at BETWEEN g.caused_at - interval '10 minutes' AND g.caused_at + interval '10 seconds')), 0) AS depth
         FROM ${rows.unnest('g', 7)}),
       entered AS (
         INSERT INTO workflow_entries (project_id, workflow_id, contact_id) SELECT $1::uuid, $2::uuid, contact_id FROM given ORDER BY contact_id
         ON CONFLICT DO NOTHING RETURNING contact_id),
       through AS (
         UPDATE workflow_versions SET was_entered = true WHERE project_id = $1 AND workflow_id = $2 AND version = $3 AND NOT was_entered)
       INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, reason, current_step_id, visits, due_at, ended_at,
         context, event, starter, depth)
       SELECT $1::uuid, id, $2::uuid, $3::int, $4::int, contact_id, CASE WHEN depth > ${maxCauses} THEN 'FAILED' ELSE 'RUNNING' END,
         CASE WHEN depth > ${maxCauses} THEN '${loopReason}' END, $5::uuid, jsonb_build_object(($5::uuid)::text, 1),
         CASE WHEN depth <= ${maxCauses} THEN now() END, CASE WHEN depth > ${maxCauses} THEN now() END, context, event, starter, depth FROM given
       WHERE $6::boolean OR contact_id IN (SELECT contact_id FROM entered) ORDER BY contact_id
       ON CONFLICT (project_id, workflow_id, generation, contact_id) WHERE ended_at IS NULL DO NOTHING
       RETURNING id, contact_id AS "contactId", ended_at IS NOT NULL AS "isStopped"`,
      [projectId, workflowId, version, generation, triggerId, allowReentry, ...rows.values(executions)],
    );
  }

  /** Those of the contacts that a start would not refuse, each once. Nobody else starts this workflow meanwhile. */
  async admissible(
    projectId: string,
    workflowId: string,
    { generation, allowReentry }: Startable,
    contactIds: readonly string[],
  ): Promise<Set<string>> {
    const found = await this.database.query<{ id: string }>(
      `SELECT DISTINCT c.id FROM unnest($5::uuid[]) AS c (id)
       WHERE ($4::boolean OR NOT EXISTS (SELECT FROM workflow_entries x WHERE x.project_id = $1 AND x.workflow_id = $2 AND x.contact_id = c.id))
         AND NOT EXISTS (SELECT FROM executions x WHERE x.project_id = $1 AND x.workflow_id = $2 AND x.generation = $3 AND x.contact_id = c.id AND x.ended_at IS NULL)`,
      [projectId, workflowId, generation, allowReentry, contactIds],
    );
    return new Set(found.map(({ id }) => id));
  }

  async countHour(projectId: string, workflowId: string, started: number): Promise<void> {
    if (started === 0) return;
    await this.database.often(
      `INSERT INTO workflow_hours AS known (project_id, workflow_id, hour, started) VALUES ($1, $2, date_trunc('hour', now()), $3)
       ON CONFLICT (project_id, workflow_id, hour) DO UPDATE SET started = known.started + excluded.started`,
      [projectId, workflowId, started],
    );
  }

  private async hourOf(projectId: string, workflowId: string, cap: number | null): Promise<Hour> {
    if (cap !== null)
      await this.database.often(`SELECT pg_advisory_xact_lock(hashtextextended($1 || ' starts', 0))`, [
        workflowId,
      ]);
    const [hour] = await this.database.often<Omit<Hour, 'left'> & { started: number | null }>(
      `SELECT h.next AS "nextHour", greatest(1, ceil(extract(epoch FROM h.next - now())))::int AS "secondsLeft",
         (SELECT started FROM workflow_hours WHERE project_id = $1 AND workflow_id = $2 AND hour = date_trunc('hour', now())) AS started
       FROM (SELECT date_trunc('hour', now()) + interval '1 hour' AS next) AS h`,
      [projectId, workflowId],
    );
    const { started, ...times } = hour!;
    return { ...times, left: cap === null ? null : Math.max(0, cap - (started ?? 0)) };
  }
}

/** An execution has causes: those whose effects led to the event that started it. */
const maxCauses = 10;
export const loopReason = `Workflows started one another: more than ${maxCauses} executions led to this one`;

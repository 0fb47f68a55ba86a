import type { ExecutionStatus, StepStatus } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { stepOfId } from './installed.js';
import type { Called, Ending, Visited } from './ending.js';
import type { Outside } from './outside.js';
import type { Played } from './play.js';

interface StepRow {
  executionId: string;
  stepId: string;
  visit: number;
  status: StepStatus;
  branch: string | null;
  output: Record<string, unknown> | null;
}

interface CallRow {
  executionId: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** What came of the executions, by id, as it stands in the database and with the other services. */
export async function observed(
  database: Database,
  projectId: string,
  outside: Outside,
  played: ReadonlyMap<string, Played>,
): Promise<Map<string, Ending>> {
  const parameters = [projectId, [...played.keys()]];
  const ofThese = `project_id = $1 AND execution_id = ANY ($2::uuid[])`;
  const [executions, steps, calls] = await Promise.all([
    database.query<{ id: string; status: ExecutionStatus; reason: string | null }>(
      `SELECT id, status, reason FROM executions WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      parameters,
    ),
    database.query<StepRow>(
      `SELECT execution_id AS "executionId", step_id AS "stepId", visit, status, branch, output FROM execution_steps WHERE ${ofThese} ORDER BY entered_at, id`,
      parameters,
    ),
    database.query<CallRow>(
      `SELECT execution_id AS "executionId", method, url, headers, body FROM call_requests WHERE ${ofThese} ORDER BY id`,
      parameters,
    ),
  ]);
  const [stepsOf, callsOf] = [byExecution(steps), byExecution(calls)];
  return new Map(
    executions.map(({ id, status, reason }): [string, Ending] => {
      const { contactId, scenario } = played.get(id)!;
      const { customFields: fields, subscribed } = outside.people.get(contactId)!;
      return [
        id,
        {
          status,
          reason,
          fields,
          subscribed,
          path: (stepsOf.get(id) ?? []).map((row): Visited =>
            visitedOf(row, stepOfId(scenario, row.stepId).name),
          ),
          mails: (outside.mails.get(id) ?? []).map(({ to, subject }) => ({ to, subject })),
          calls: (callsOf.get(id) ?? []).map((call) => calledOf(call)),
          updates: outside.updates.get(contactId) ?? [],
        },
      ];
    }),
  );
}

const byExecution = <Row extends { executionId: string }>(rows: readonly Row[]): Map<string, Row[]> =>
  Map.groupBy(rows, ({ executionId }) => executionId);

function visitedOf({ visit, status, branch, output }: StepRow, step: string): Visited {
  const { emailId: _, ...shown } = output ?? {};
  return { step, visit, status, branch, output: output && shown };
}

export function calledOf({ method, url, headers, body }: Omit<CallRow, 'executionId'>): Called {
  const isJson = headers['content-type'] === 'application/json';
  return { method, url, headers, body: isJson && body !== null ? withoutIds(JSON.parse(body)) : body };
}

/** The standard payload names execution and workflow, whose ids no model knows. */
function withoutIds(body: Record<string, unknown>): unknown {
  const { execution, workflow, ...rest } = body;
  return execution ? { ...rest, workflow: { name: (workflow as { name: string }).name } } : body;
}

export interface Counted {
  workflowId: string;
  stepId: string | null;
  counter: string;
  value: number;
}

const ofWorkflow = '00000000-0000-0000-0000-000000000000';

/** What the counters say, and what the rows do. */
export async function counted(database: Database, projectId: string): Promise<[Counted[], Counted[]]> {
  const columns = `workflow_id AS "workflowId", nullif(step_id, '${ofWorkflow}') AS "stepId", counter, value::int`;
  const order = `ORDER BY workflow_id, step_id, counter`;
  const [kept, recounted] = await Promise.all([
    database.query<Counted>(
      `SELECT ${columns} FROM (
         SELECT workflow_id, step_id, counter, sum(value) AS value FROM workflow_counts WHERE project_id = $1 GROUP BY 1, 2, 3
       ) AS sums WHERE value <> 0 ${order}`,
      [projectId],
    ),
    database.query<Counted>(
      `WITH visits AS (SELECT e.workflow_id, s.step_id, s.status FROM execution_steps s JOIN executions e ON e.project_id = s.project_id AND e.id = s.execution_id WHERE e.project_id = $1),
       counts AS (
         SELECT workflow_id, '${ofWorkflow}'::uuid AS step_id, status AS counter, count(*) AS value FROM executions WHERE project_id = $1 GROUP BY 1, 3
         UNION ALL SELECT workflow_id, step_id, status, count(*) FROM visits GROUP BY 1, 2, 3
         UNION ALL SELECT workflow_id, step_id, 'ENTERED', count(*) FROM visits GROUP BY 1, 2)
       SELECT ${columns} FROM counts ${order}`,
      [projectId],
    ),
  ]);
  return [kept, recounted];
}

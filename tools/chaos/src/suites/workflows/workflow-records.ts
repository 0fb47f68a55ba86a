import type { Tenant } from '../tenant.js';
import type {
  CallRow,
  ExecutionRow,
  ShownSteps,
  VisitRow,
  WorkflowMail,
  WorkflowsEvidence,
} from './judge-workflows.js';
import type { Built } from './workflows.js';

const ms = (column: string): string => `extract(epoch FROM ${column})::float8 * 1000`;
const noStep = '00000000-0000-0000-0000-000000000000';

const executionsSql = `
  SELECT id, contact_id AS email, status, reason, ${ms('ended_at')} AS "endedAt" FROM executions WHERE project_id = $1 AND workflow_id = $2`;
const visitsSql = `
  SELECT execution_id AS "executionId", step_id AS step, visit, status, branch, output ->> 'emailId' AS "emailId",
    ${ms('entered_at')} AS "enteredAt", ${ms('ended_at')} AS "endedAt"
  FROM execution_steps WHERE project_id = $1`;
const mailsSql = `
  SELECT id, to_email AS email, subject, status, failure_kind AS "failureKind",
    coalesce(error LIKE 'The message was given up: %', false) AS "isGivenUp"
  FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`;
const fieldsSql = `SELECT email, custom_fields AS fields FROM contacts WHERE project_id = $1`;
const callsSql = `SELECT r.id, status, execution_id AS "executionId" FROM calls c JOIN call_requests r ON r.project_id = c.project_id AND r.id = c.request_id
  WHERE c.project_id = $1`;
const stepCallsSql = `${callsSql} AND event_type IS NULL`;
const eventCallsSql = `${callsSql} AND event_type IS NOT NULL`;
const openSql = `
  SELECT (SELECT count(*)::int FROM executions WHERE project_id = $1 AND ended_at IS NULL) AS executions,
    (SELECT count(*)::int FROM calls WHERE project_id = $1 AND event_type IS NULL AND status = 'PENDING') AS "stepCalls",
    (SELECT count(*)::int FROM calls WHERE project_id = $1 AND event_type IS NOT NULL AND status = 'PENDING') AS "eventCalls"`;
const lateSql = `
  SELECT id FROM calls WHERE project_id = $1 AND endpoint_id = $2 AND status = 'PENDING' AND due_at > now() + interval '20 seconds'`;

/** The counters of workflows and steps against their rows: one statement, so that all of it is one snapshot. */
export const workflowCountsSql = `
  WITH kept AS (
    SELECT workflow_id || ' step ' || step_id AS key, jsonb_object_agg(counter, value) AS sums
    FROM (SELECT workflow_id, step_id, counter, sum(value) AS value FROM workflow_counts WHERE project_id = $1 GROUP BY 1, 2, 3) AS summed
    GROUP BY workflow_id, step_id
  ), counted AS (
    SELECT key, jsonb_object_agg(counter, value) AS sums FROM (
      SELECT workflow_id || ' step ${noStep}' AS key, status AS counter, count(*) AS value FROM executions WHERE project_id = $1 GROUP BY 1, 2
      UNION ALL
      SELECT e.workflow_id || ' step ' || s.step_id, c.counter, count(*) FROM execution_steps s
      JOIN executions e ON e.project_id = s.project_id AND e.id = s.execution_id CROSS JOIN LATERAL (VALUES ('ENTERED'), (s.status)) AS c (counter)
      WHERE s.project_id = $1 GROUP BY 1, 2) AS counters
    GROUP BY key
  )
  SELECT key, kept.sums AS kept, counted.sums AS counted FROM kept FULL JOIN counted USING (key) ORDER BY key`;

export async function openOnes(tenant: Tenant): Promise<Record<string, number>> {
  const [open] = await tenant.rows<Record<string, number>>('workflows', openSql);
  return open!;
}

/** Everything that the rows say of the workflow after the run. */
export async function writtenDown(
  tenant: Tenant,
  { workflowId, stepIds }: Built,
): Promise<
  Pick<WorkflowsEvidence, 'executions' | 'visits' | 'mails' | 'fields' | 'stepCalls' | 'eventCalls' | 'stats'>
> {
  const emails = await tenant.addresses();
  const names = new Map([...stepIds].map(([name, id]) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const executions = await tenant.rows<ExecutionRow>('workflows', executionsSql, workflowId);
  const visits = await tenant.rows<VisitRow>('workflows', visitsSql);
  const contacts = await tenant.rows<{ email: string; fields: Record<string, unknown> }>(
    'contacts',
    fieldsSql,
  );
  const shown = await tenant.surely('GET', `/api/v1/workflows/${workflowId}/stats`);
  const steps = shown['steps'] as (Omit<ShownSteps, 'step'> & { step_id: string })[];
  return {
    executions: executions.map((row) => ({ ...row, email: emails.get(row.email) ?? row.email })),
    visits: visits.map((row) => ({ ...row, step: nameOf(row.step) })),
    mails: await tenant.rows<WorkflowMail>('sending', mailsSql),
    fields: new Map(contacts.map(({ email, fields }) => [email, fields])),
    stepCalls: await tenant.rows<CallRow>('workflows', stepCallsSql),
    eventCalls: await tenant.rows<CallRow>('workflows', eventCallsSql),
    stats: {
      executions: shown['executions'] as Record<string, number>,
      steps: steps.map(({ step_id: id, ...rest }) => ({ ...rest, step: nameOf(id) })),
    },
  };
}

/** After its second failure a call of an event waits for minutes: whoever does not want to wait asks for it. Returns how many there were. */
export async function replayLate(tenant: Tenant, { webhookId }: Built): Promise<number> {
  const late = await tenant.rows<{ id: string }>('workflows', lateSql, webhookId);
  for (const { id } of late) await tenant.surely('POST', `/api/v1/webhooks/${webhookId}/calls/${id}/replay`);
  return late.length;
}

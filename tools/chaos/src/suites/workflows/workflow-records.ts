import type { Tenant } from '../tenant.js';
import { emailsById } from './workflow-events.js';
import type {
  CallRow,
  ExecutionRow,
  ShownStats,
  ShownSteps,
  VisitRow,
  WorkflowMail,
} from './workflow-evidence.js';
import type { Built } from './workflow-setup.js';

const ms = (column: string): string => `extract(epoch FROM ${column})::float8 * 1000`;
const noStep = '00000000-0000-0000-0000-000000000000';

const executionsSql = `
  SELECT id, contact_id AS "contactId", status, reason, ${ms('ended_at')} AS "endedAt" FROM executions WHERE project_id = $1 AND workflow_id = $2`;
const visitsSql = `
  SELECT execution_id AS "executionId", step_id AS step, visit, status, branch, output ->> 'emailId' AS "emailId",
    ${ms('entered_at')} AS "enteredAt", ${ms('ended_at')} AS "endedAt"
  FROM execution_steps WHERE project_id = $1`;
const mailsSql = `
  SELECT id, to_email AS email, subject, status, failure_kind AS "failureKind",
    coalesce(error LIKE 'The message was given up: %', false) AS "isGivenUp"
  FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`;
const openSql = `
  SELECT (SELECT count(*)::int FROM executions WHERE project_id = $1 AND ended_at IS NULL) AS executions,
    (SELECT count(*)::int FROM step_calls WHERE project_id = $1 AND status = 'PENDING') AS "stepCalls",
    (SELECT count(*)::int FROM webhook_calls WHERE project_id = $1 AND status = 'PENDING') AS "eventCalls"`;
const lateSql = `
  SELECT id FROM webhook_calls WHERE project_id = $1 AND webhook_id = $2 AND status = 'PENDING' AND due_at > now() + interval '20 seconds'`;

/** The counters of workflows and steps against their rows: one statement, so that all of it is one snapshot. */
export const workflowCountsSql = `
  WITH kept AS (
    SELECT workflow_id || ' step ' || step_id AS key, jsonb_object_agg(counter, value) AS sums
    FROM workflow_counts WHERE project_id = $1 GROUP BY workflow_id, step_id
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

export async function openOnes({ records, projectId }: Tenant): Promise<Record<string, number>> {
  const [open] = await records.query<Record<string, number>>('workflows', openSql, [projectId]);
  return open!;
}

export async function executionsOf(tenant: Tenant, { workflowId }: Built): Promise<ExecutionRow[]> {
  const { records, projectId } = tenant;
  const emails = await emailsById(tenant);
  const rows = await records.query<Omit<ExecutionRow, 'email'> & { contactId: string }>(
    'workflows',
    executionsSql,
    [projectId, workflowId],
  );
  return rows.map(({ contactId, ...row }) => ({ ...row, email: emails.get(contactId) ?? contactId }));
}

export async function visitsOf({ records, projectId }: Tenant, built: Built): Promise<VisitRow[]> {
  const rows = await records.query<VisitRow>('workflows', visitsSql, [projectId]);
  const names = namesOf(built);
  return rows.map((row) => ({ ...row, step: names.get(row.step) ?? row.step }));
}

export const workflowMailsOf = ({ records, projectId }: Tenant): Promise<WorkflowMail[]> =>
  records.query('sending', mailsSql, [projectId]);

export const stepCallsOf = ({ records, projectId }: Tenant): Promise<CallRow[]> =>
  records.query(
    'workflows',
    `SELECT id, status, execution_id AS "executionId" FROM step_calls WHERE project_id = $1`,
    [projectId],
  );

export const eventCallsOf = ({ records, projectId }: Tenant): Promise<CallRow[]> =>
  records.query(
    'workflows',
    `SELECT event_id AS id, status, NULL AS "executionId" FROM webhook_calls WHERE project_id = $1`,
    [projectId],
  );

export async function fieldsByEmail({ records, projectId }: Tenant) {
  const rows = await records.query<{ email: string; fields: Record<string, unknown> }>(
    'contacts',
    `SELECT email, custom_fields AS fields FROM contacts WHERE project_id = $1`,
    [projectId],
  );
  return new Map(rows.map(({ email, fields }) => [email, fields]));
}

export async function statsOf(tenant: Tenant, built: Built): Promise<ShownStats> {
  const shown = await tenant.surely('GET', `/api/v1/workflows/${built.workflowId}/stats`);
  const names = namesOf(built);
  const steps = shown['steps'] as (Omit<ShownSteps, 'step'> & { step_id: string })[];
  return {
    executions: shown['executions'] as Record<string, number>,
    steps: steps.map(({ step_id: id, ...rest }) => ({ ...rest, step: names.get(id) ?? id })),
  };
}

const namesOf = ({ stepIds }: Built): ReadonlyMap<string, string> =>
  new Map([...stepIds].map(([name, id]) => [id, name]));

/** After its second failure a call of an event waits for minutes: whoever does not want to wait asks for it. Returns how many there were. */
export async function replayLate(tenant: Tenant, { webhookId }: Built): Promise<number> {
  const { records, projectId } = tenant;
  const late = await records.query<{ id: string }>('workflows', lateSql, [projectId, webhookId]);
  for (const { id } of late) await tenant.surely('POST', `/api/v1/webhooks/${webhookId}/calls/${id}/replay`);
  return late.length;
}

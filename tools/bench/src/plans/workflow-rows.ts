import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { withoutIndexes } from '../databases.js';
import type { MadeWorkflow } from '../workflows/workflow.js';
import type { Definitions } from './workflow-plans.js';

export const awaitedEvent = 'plans-purchase';
const ownWorkflows = 2_000;
const otherProjects = 20;
const workflowsOfEach = 900;
/** Those that are ended or removed with what they belong to. */
const few = 5_000;
/** Tables to which no other refers. */
const leaves = ['execution_steps', 'execution_waits', 'workflow_entries', 'awaited_events'];
const ofWorkflow = '00000000-0000-0000-0000-000000000000';

/** A million executions of one workflow, fewer of others and of a foreign project, and thousands of workflows. */
export async function storeExecutions(
  client: pg.Client,
  { api: { projectId }, large, paused, removed }: Definitions,
  many: number,
): Promise<void> {
  await client.query(`SET maintenance_work_mem = '512MB'`);
  // What is stored here agrees, so that its references need not be checked one by one.
  await client.query(`SET session_replication_role = replica`);
  await client.query(manyWorkflowsSql(ownWorkflows), [projectId]);
  for (let project = 0; project < otherProjects; project += 1)
    await client.query(manyWorkflowsSql(workflowsOfEach), [randomUUID()]);
  const foreign: MadeWorkflow = { id: randomUUID(), version: 1, stepIds: [randomUUID(), randomUUID()] };
  for (const [project, { id, version, stepIds }, count] of [
    [projectId, large, many],
    [projectId, paused, few],
    [projectId, removed, few],
    [randomUUID(), foreign, Math.floor(many / fractionOfOthers)],
  ] as const)
    await client.query(executionsSql, [project, id, version, stepIds[1], count]);
  await withoutIndexes(client, leaves, async () => {
    await client.query(triggerStepsSql);
    await client.query(lastStepsSql);
    await client.query(waitsSql);
    await client.query(entriesSql);
    await client.query(awaitedSql, [projectId, Math.floor(many / 10)]);
  });
  await client.query(itemsSql);
  await client.query(statusCountsSql, [projectId]);
  await client.query(stepCountsSql, [projectId]);
  await client.query(projectCountsSql);
  await client.query(`SET session_replication_role = origin`);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
}

/** One in twenty is enabled, each for an event of its own. */
const manyWorkflowsSql = (count: number): string =>
  `WITH added AS (
     INSERT INTO workflows (project_id, id, name, enabled, trigger_type, event_name, allow_reentry, version, step_count, created_at, updated_at)
     SELECT $1::uuid, uuidv7(-(n || ' hours')::interval), 'Workflow ' || n, n % 20 = 0, 'EVENT', 'event-' || n, false, 2, 2, at, at
     FROM (SELECT n, now() - n * interval '1 hour' AS at FROM generate_series(1, ${count}) AS n) AS made
     RETURNING project_id, id, event_name
   ), steps AS (
     INSERT INTO workflow_steps (project_id, workflow_id, id, place, name, type, position, config)
     SELECT project_id, id, gen_random_uuid(), place, type, type, '{"x": 0, "y": 0}'::json, config::json FROM added,
       (VALUES (0, 'TRIGGER', '{}'), (1, 'WAIT_FOR_EVENT', '{"eventName": "never", "timeout": 60}')) AS kinds (place, type, config)
     RETURNING project_id, workflow_id
   )
   INSERT INTO workflow_versions (project_id, workflow_id, version, graph)
   SELECT project_id, id, 2, '{"steps": [], "transitions": []}'::json FROM added`;

/** Six in ten wait, three have ended, one has failed. */
const executionsSql = `INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, reason,
    current_step_id, visits, wait, due_at, entered_at, turn, started_at, ended_at)
  SELECT $1::uuid, uuidv7(), $2::uuid, $3::int, 1, uuidv7(), status, CASE WHEN status = 'FAILED' THEN 'No response came' END,
    $4::uuid, jsonb_build_object(($4::uuid)::text, 1), CASE WHEN status = 'WAITING' THEN 'EVENT' END,
    CASE WHEN status = 'WAITING' THEN now() + interval '10 days' + n * interval '1 second' END, at, 1, at,
    CASE WHEN status <> 'WAITING' THEN at + interval '1 hour' END
  FROM (SELECT n, now() - interval '2 hours' - n * interval '1 second' AS at,
          CASE WHEN n % 10 < 6 THEN 'WAITING' WHEN n % 10 < 9 THEN 'EXITED' ELSE 'FAILED' END AS status
        FROM generate_series(1, $5::int) AS n) AS made`;

const triggerStepsSql = `INSERT INTO execution_steps (project_id, execution_id, id, step_id, visit, status, entered_at, ended_at)
  SELECT project_id, id, uuidv7(), gen_random_uuid(), 1, 'DONE', started_at, started_at FROM executions WHERE turn = 1`;

const lastStepsSql = `INSERT INTO execution_steps (project_id, execution_id, id, step_id, visit, status, entered_at, due_at, ended_at, output)
  SELECT project_id, id, uuidv7(), current_step_id, 1, CASE status WHEN 'EXITED' THEN 'DONE' ELSE status END, entered_at, due_at, ended_at,
    CASE WHEN status = 'EXITED' THEN '{"event": {"amount": 5}}'::jsonb END
  FROM executions WHERE turn = 1`;

const waitsSql = `INSERT INTO execution_waits (project_id, contact_id, event_name, execution_id, since, until)
  SELECT project_id, contact_id, '${awaitedEvent}', id, entered_at, entered_at + interval '7 days' FROM executions WHERE wait = 'EVENT'`;

const entriesSql = `INSERT INTO workflow_entries (project_id, workflow_id, contact_id) SELECT project_id, workflow_id, contact_id FROM executions WHERE turn = 1`;

const awaitedSql = `INSERT INTO awaited_events (project_id, contact_id, event_name, event_id, at)
  SELECT $1::uuid, uuidv7(), '${awaitedEvent}', uuidv7(), now() FROM generate_series(1, $2::int)`;

const itemsSql = `INSERT INTO work_items (id, kind, project_id, key, state, due_at)
  SELECT uuidv7(), 'workflows.executions', project_id, id::text, 'WAITING', due_at FROM executions WHERE ended_at IS NULL AND turn = 1`;

const statusCountsSql = `INSERT INTO workflow_counts (project_id, workflow_id, step_id, counter, value)
  SELECT project_id, workflow_id, '${ofWorkflow}'::uuid, status, count(*) FROM executions WHERE project_id = $1 AND turn = 1 GROUP BY 1, 2, 4`;

const stepCountsSql = `INSERT INTO workflow_counts (project_id, workflow_id, step_id, counter, value)
  SELECT project_id, workflow_id, current_step_id, counter, count(*) FROM executions,
    LATERAL (VALUES ('ENTERED'), (CASE status WHEN 'EXITED' THEN 'DONE' ELSE status END)) AS counted (counter)
  WHERE project_id = $1 AND turn = 1 GROUP BY 1, 2, 3, 4`;

const projectCountsSql = `INSERT INTO project_counts (project_id, counted, total) SELECT project_id, 'workflows', count(*) FROM workflows GROUP BY 1
  ON CONFLICT (project_id, counted) DO UPDATE SET total = excluded.total`;

/** The rows beside the large ones are so much fewer. */
export const fractionOfOthers = 4;
const erased = 10_000;
const endpoints = 10_000;

/** A million calls of one subscription and a million of steps, fewer of others and of a foreign project. */
export async function storeCalls(
  client: pg.Client,
  { api: { projectId }, url, webhook, stoppedWebhook, removedWebhook }: Definitions,
  many: number,
): Promise<void> {
  const [foreign, others] = [randomUUID(), Math.floor(many / fractionOfOthers)];
  await client.query(`SET session_replication_role = replica`);
  await withoutIndexes(client, ['calls', 'call_requests'], async () => {
    for (const [project, id, count] of [
      [projectId, webhook, many],
      [projectId, stoppedWebhook, few],
      [projectId, removedWebhook, few],
      [foreign, randomUUID(), others],
    ] as const)
      await client.query(callsSql, [project, id, count]);
    await client.query(bodiesSql);
    for (const [project, count] of [
      [projectId, many],
      [foreign, others],
    ] as const)
      await client.query(stepCallsSql, [project, url, count]);
  });
  await client.query(erasedSql, [projectId, erased]);
  await client.query(endpointsSql, [projectId, endpoints]);
  await client.query(`SET session_replication_role = origin`);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
}

/** Of the last days; one in a hundred has failed, and as many wait for their next attempt. */
const callsSql = `INSERT INTO calls (project_id, endpoint_id, id, request_id, event_type, generation, status, attempts, retries, due_at, response_status, response_body,
    duration_ms, created_at, ended_at)
  SELECT $1::uuid, $2::uuid, uuidv7(), uuidv7(), 'contact.created', 1, status, 1, 1, CASE WHEN status = 'PENDING' THEN now() + interval '5 hours' END,
    CASE WHEN status = 'SUCCESS' THEN 200 ELSE 503 END, 'ok', 12, at, CASE WHEN status <> 'PENDING' THEN at END
  FROM (SELECT n, now() - interval '1 hour' - n * interval '2 seconds' AS at,
          CASE n % 100 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'PENDING' ELSE 'SUCCESS' END AS status
        FROM generate_series(1, $3::int) AS n) AS made`;

const bodiesSql = `INSERT INTO call_requests (project_id, id, contact_id, body, created_at)
  SELECT project_id, request_id, uuidv7(), jsonb_build_object('id', request_id, 'type', event_type, 'createdAt', created_at,
    'data', jsonb_build_object('email', 'reader-' || id || '@bench.test'))::text, created_at FROM calls`;

/** To a thousand origins. */
const stepCallsSql = `WITH made AS (
    INSERT INTO calls (project_id, endpoint_id, id, request_id, status, attempts, retries, due_at, response_status, response_body, duration_ms, created_at, ended_at)
    SELECT $1::uuid, md5(format('%s %s', $1::uuid, n % 1000))::uuid, id, id, status, 1, 1,
      CASE WHEN status = 'PENDING' THEN now() + interval '5 hours' END, 200, 'ok', 12, at, CASE WHEN status <> 'PENDING' THEN at END
    FROM (SELECT n, uuidv7() AS id, now() - interval '1 hour' - n * interval '2 seconds' AS at, CASE WHEN n % 100 = 1 THEN 'PENDING' ELSE 'SUCCESS' END AS status
          FROM generate_series(1, $3::int) AS n) AS steps
    RETURNING project_id, id, created_at)
  INSERT INTO call_requests (project_id, id, contact_id, execution_id, method, url, headers, body, created_at)
  SELECT project_id, id, uuidv7(), uuidv7(), 'POST', $2::text, '{}'::json, '{"n": 1}', created_at FROM made`;

const erasedSql = `INSERT INTO erased_contacts (project_id, contact_id) SELECT $1::uuid, uuidv7() FROM generate_series(1, $2::int)`;

const endpointsSql = `INSERT INTO endpoints (project_id, id) SELECT $1::uuid, uuidv7() FROM generate_series(1, $2::int)`;

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { withoutIndexes } from '../../audience/without-indexes.js';
import type { Definitions } from './definitions.js';

/** The rows beside the large ones are so much fewer. */
export const fractionOfOthers = 4;
/** Those that are ended or removed with their subscription. */
const few = 5_000;
const erased = 10_000;
const endpoints = 10_000;
const leaves = ['webhook_attempts', 'step_calls'];

/** A million calls of one subscription and a million of steps, fewer of others and of a foreign project. */
export async function storeCalls(
  client: pg.Client,
  { api: { projectId }, url, webhook, stoppedWebhook, removedWebhook }: Definitions,
  many: number,
): Promise<void> {
  const foreign = randomUUID();
  await client.query(`SET session_replication_role = replica`);
  for (const [project, id, count] of [
    [projectId, webhook, many],
    [projectId, stoppedWebhook, few],
    [projectId, removedWebhook, few],
    [foreign, randomUUID(), Math.floor(many / fractionOfOthers)],
  ] as const)
    await client.query(callsSql, [project, id, count]);
  await withoutIndexes(client, leaves, async () => {
    await client.query(attemptsSql);
    for (const [project, count] of [
      [projectId, many],
      [foreign, Math.floor(many / fractionOfOthers)],
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
const callsSql = `INSERT INTO webhook_calls (project_id, webhook_id, id, event_id, event_type, contact_id, body, generation, status, attempts, retries,
    due_at, response_status, response_body, duration_ms, created_at, ended_at)
  SELECT $1::uuid, $2::uuid, uuidv7(), uuidv7(), 'contact.created', uuidv7(),
    jsonb_build_object('id', n, 'type', 'contact.created', 'createdAt', at, 'data', jsonb_build_object('email', 'reader-' || n || '@bench.test'))::text,
    1, status, 1, 1, CASE WHEN status = 'PENDING' THEN now() + interval '5 hours' END, CASE WHEN status = 'SUCCESS' THEN 200 ELSE 503 END, 'ok', 12, at,
    CASE WHEN status <> 'PENDING' THEN at END
  FROM (SELECT n, now() - interval '1 hour' - n * interval '2 seconds' AS at,
          CASE n % 100 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'PENDING' ELSE 'SUCCESS' END AS status
        FROM generate_series(1, $3::int) AS n) AS made`;

const attemptsSql = `INSERT INTO webhook_attempts (project_id, webhook_id, call_id, attempt, at, response_status, duration_ms)
  SELECT project_id, webhook_id, id, 1, created_at, response_status, duration_ms FROM webhook_calls`;

/** To a thousand origins. */
const stepCallsSql = `INSERT INTO step_calls (project_id, id, endpoint_id, execution_id, contact_id, method, url, headers, body, status, attempts, retries,
    due_at, response_status, response_body, duration_ms, created_at, ended_at)
  SELECT $1::uuid, uuidv7(), md5(format('%s %s', $1::uuid, n % 1000))::uuid, uuidv7(), uuidv7(), 'POST', $2::text, '{}'::json, '{"n": 1}', status, 1, 1,
    CASE WHEN status = 'PENDING' THEN now() + interval '5 hours' END, 200, 'ok', 12, at, CASE WHEN status <> 'PENDING' THEN at END
  FROM (SELECT n, now() - interval '1 hour' - n * interval '2 seconds' AS at, CASE WHEN n % 100 = 1 THEN 'PENDING' ELSE 'SUCCESS' END AS status
        FROM generate_series(1, $3::int) AS n) AS made`;

const erasedSql = `INSERT INTO erased_contacts (project_id, contact_id) SELECT $1::uuid, uuidv7() FROM generate_series(1, $2::int)`;

const endpointsSql = `INSERT INTO endpoints (project_id, id) SELECT $1::uuid, uuidv7() FROM generate_series(1, $2::int)`;

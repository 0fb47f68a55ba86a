import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { startWebhooksSuite, type WebhooksSuite } from '../testing/webhooks-suite.js';
import { EndpointsRepository } from '../webhooks/dispatch/endpoints.repository.js';
import { OldCallsRepository } from './retention.repository.js';

let suite: WebhooksSuite;
beforeAll(async () => {
  suite = await startWebhooksSuite();
});
afterAll(() => suite.stop());

it('a call and its attempts are kept for 30 days', async () => {
  const { projectId, caller } = suite.buildProject();
  const { id: webhookId } = await suite.buildWebhook(caller);
  const [old, young] = [newId(), newId()];
  await suite.database.query(
    `INSERT INTO webhook_calls (project_id, webhook_id, id, event_id, event_type, body, generation, status, created_at, ended_at)
     SELECT $1, $2, c.id, gen_random_uuid(), 'email.sent', '{}', 1, 'SUCCESS', now() - age, now() - age
     FROM unnest($3::uuid[], '{31 days,29 days}'::interval[]) AS c (id, age)`,
    [projectId, webhookId, [old, young]],
  );
  await suite.database.query(
    `INSERT INTO webhook_attempts (project_id, webhook_id, call_id, attempt, duration_ms) SELECT $1, $2, id, 1, 5 FROM unnest($3::uuid[]) AS id`,
    [projectId, webhookId, [old, young]],
  );
  expect(await new OldCallsRepository(suite.database).deleteSome(100)).toBe(false);
  for (const [table, key] of [
    ['webhook_calls', 'id'],
    ['webhook_attempts', 'call_id'],
  ] as const)
    expect(
      await suite.database.query(`SELECT ${key} AS id FROM ${table} WHERE project_id = $1`, [projectId]),
    ).toEqual([{ id: young }]);
});

describe('an endpoint of steps', () => {
  it('is forgotten when it was not used for 30 days, and one that was used again is not', async () => {
    const { projectId, caller } = suite.buildProject();
    const { id: subscribed } = await suite.buildWebhook(caller);
    const [old, used] = [newId(), newId()];
    await suite.database.query(
      `INSERT INTO endpoints (project_id, id, used_at) SELECT $1, id, now() - interval '31 days' FROM unnest($2::uuid[]) AS id`,
      [projectId, [old, used, subscribed]],
    );
    await new EndpointsRepository(suite.database).leaveAlone({ projectId, id: used }, 1);
    expect(await new OldCallsRepository(suite.database).deleteSome(100)).toBe(false);
    const left = await suite.database.query<{ id: string }>(
      `SELECT id FROM endpoints WHERE project_id = $1`,
      [projectId],
    );
    expect(left.map(({ id }) => id).sort()).toEqual([used, subscribed].sort());
  });

  it('is found in the order of an index', async () => {
    const plan = await suite.database.transaction(async () => {
      await suite.database.query(`SET LOCAL enable_seqscan = off`);
      return suite.database.query(
        `EXPLAIN SELECT id FROM endpoints WHERE used_at < now() ORDER BY used_at LIMIT 1`,
      );
    });
    expect(JSON.stringify(plan)).toContain('endpoints_by_use');
  });
});

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

it('a call and its request are kept for 30 days, and those that wait for longer', async () => {
  const { projectId, caller } = suite.buildProject();
  const { id: webhookId } = await suite.buildWebhook(caller);
  const [old, young, waiting] = [newId(), newId(), newId()];
  const ages = [projectId, [old, young, waiting], ['31 days', '29 days', '31 days']];
  await suite.database.query(
    `INSERT INTO call_requests (project_id, id, body, created_at) SELECT $1, id, '{}', now() - age FROM unnest($2::uuid[], $3::interval[]) AS c (id, age)`,
    ages,
  );
  await suite.database.query(
    `INSERT INTO calls (project_id, endpoint_id, id, request_id, event_type, generation, status, due_at, created_at)
     SELECT $1, $4, id, id, 'email.sent', 1, status, CASE status WHEN 'PENDING' THEN now() + interval '1 hour' END, now() - age
     FROM unnest($2::uuid[], $3::interval[], '{SUCCESS,SUCCESS,PENDING}'::text[]) AS c (id, age, status)`,
    [...ages, webhookId],
  );
  expect(await new OldCallsRepository(suite.database).deleteSome(100)).toBe(false);
  for (const table of ['calls', 'call_requests'])
    expect(
      await suite.database.query(`SELECT id FROM ${table} WHERE project_id = $1 ORDER BY id`, [projectId]),
    ).toEqual([{ id: young }, { id: waiting }]);
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
    await new EndpointsRepository(suite.database).leaveAlone(projectId, [used], 1);
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

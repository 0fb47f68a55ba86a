import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { executions, workflowGraphs } from '@posthorn/contracts';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { OldExecutionsRepository } from './retention.repository.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const days = { executions: 90, versions: 365 };
const exit = { end: { type: 'EXIT' as const, config: {} } };
const versionsOf = (id: string) =>
  suite.database.query<{ version: number }>(
    `SELECT version FROM workflow_versions WHERE workflow_id = $1 ORDER BY version`,
    [id],
  );

it('a graph that was replaced is kept where somebody went through it, and for so many days', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id, graph } = await suite.enable(caller, exit);
  const execution = await suite.start(caller, id, suite.addContact(projectId).id);
  await suite.until(caller, execution, 'EXITED');
  for (let put = 0; put < 5; put += 1) await suite.bus.call(workflowGraphs.put, caller, { id, ...graph });
  expect(await versionsOf(id)).toEqual([{ version: 2 }, { version: 7 }]);
  const old = new OldExecutionsRepository(suite.database);
  await suite.database.query(`UPDATE workflow_versions SET created_at = now() - interval '364 days'`);
  expect(await old.deleteSome(days, 100)).toBe(false);
  expect(await versionsOf(id)).toHaveLength(2);
  await suite.database.query(`UPDATE workflow_versions SET created_at = now() - interval '366 days'`);
  await old.deleteSome(days, 100);
  expect(await versionsOf(id)).toEqual([{ version: 7 }]);
});

it('executions that have ended are kept for so many days with their steps, and those that run for ever', async () => {
  const { caller, projectId } = suite.buildProject();
  const delay = { wait: { type: 'DELAY' as const, config: { amount: 1, unit: 'days' } } };
  const { id } = await suite.enable(caller, delay);
  const [old, young, open] = await Promise.all(
    [0, 1, 2].map(() => suite.start(caller, id, suite.addContact(projectId).id)),
  );
  for (const execution of [old!, young!, open!]) await suite.until(caller, execution, 'WAITING');
  for (const execution of [old!, young!])
    await suite.bus.call(executions.cancel, caller, { id: execution.id, workflowId: id });
  const age = (executionId: string, by: string) =>
    suite.database.query(
      `UPDATE executions SET started_at = now() - $2::interval, ended_at = CASE WHEN ended_at IS NOT NULL THEN now() - $2::interval END WHERE id = $1`,
      [executionId, by],
    );
  await age(old!.id, '91 days');
  await age(young!.id, '89 days');
  await age(open!.id, '200 days');
  await new OldExecutionsRepository(suite.database).deleteSome(days, 100);
  const ids = [young!.id, open!.id].sort();
  for (const [table, key] of [
    ['executions', 'id'],
    ['execution_steps', 'execution_id'],
  ])
    expect(
      (
        await suite.database.query<{ id: string }>(
          `SELECT DISTINCT ${key} AS id FROM ${table} WHERE project_id = $1 ORDER BY 1`,
          [projectId],
        )
      ).map((row) => row.id),
    ).toEqual(ids);
});

it('an execution whose graph is no longer kept says so', async () => {
  const { caller, projectId } = suite.buildProject();
  const delay = {
    wait: { type: 'DELAY' as const, config: { amount: 1, unit: 'days' }, next: 'end' },
    ...exit,
  };
  const { id } = await suite.enable(caller, delay);
  const execution = await suite.start(caller, id, suite.addContact(projectId).id);
  await suite.until(caller, execution, 'WAITING');
  await suite.database.query(`DELETE FROM workflow_versions WHERE workflow_id = $1`, [id]);
  await suite.forgetStandings();
  await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId: id });
  const failed = await suite.until(caller, execution, 'FAILED');
  expect(failed.reason).toBe('Version 2 of the workflow is no longer kept');
});

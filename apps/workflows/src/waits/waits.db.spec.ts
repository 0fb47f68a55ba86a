import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executions } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { WaitsRepository } from './waits.repository.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

/** Somebody waits for a lock of an event, or was not made to. */
const reachedSql = `
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  UNION ALL SELECT 1 FROM execution_waits WHERE contact_id = $1`;

describe('a wait for an event', () => {
  it('ends by an event that is committed while the wait is registered', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      pause: { type: 'DELAY', config: { amount: 1, unit: 'minutes' }, next: 'wait' },
      wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 3_600 } },
    });
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'WAITING');
    const waits = new WaitsRepository(suite.database);
    // After the beginning of the wait below.
    const arrival = { id: newId(), name: 'paid', contactId, at: new Date(Date.now() + 60_000), data: {} };
    await suite.database.transaction(async () => {
      await waits.lock(projectId, [{ contactId, eventName: arrival.name }]);
      await waits.arrive(projectId, [arrival]);
      await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId });
      await eventually(
        async () => (await suite.database.query(reachedSql, [contactId])).length > 0,
        'the wait is reached',
      );
    });
    const { steps } = await suite.until(caller, execution, 'COMPLETED');
    expect(steps.map(({ stepName, branch }) => [stepName, branch])).toEqual([
      ['trigger', null],
      ['pause', null],
      ['wait', 'event'],
    ]);
  });

  it('does not end by an event after its timeout, however late the timeout is noticed', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 3_600 } },
    });
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'WAITING');
    const waits = new WaitsRepository(suite.database);
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const arrival = { id: newId(), name: 'paid', contactId, at: at(61), data: {} };
    await suite.database.transaction(async () => {
      expect(await waits.arrive(projectId, [arrival])).toEqual([]);
      expect(await waits.arrive(projectId, [{ ...arrival, id: newId(), at: at(59) }])).toEqual([
        execution.id,
      ]);
    });
  });

  it('is known by its name also where the present graph does not wait for it', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'renamed', timeout: 3_600 } },
    });
    await suite.until(caller, await suite.start(caller, workflowId, contactId), 'WAITING');
    await suite.database.query(
      `UPDATE workflow_steps SET config = '{"eventName":"other"}' WHERE workflow_id = $1 AND type = 'WAIT_FOR_EVENT'`,
      [workflowId],
    );
    const waits = new WaitsRepository(suite.database);
    expect([...(await waits.awaitedNames(projectId, ['renamed', 'other', 'unknown']))].sort()).toEqual([
      'other',
      'renamed',
    ]);
  });
});

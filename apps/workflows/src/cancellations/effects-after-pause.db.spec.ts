import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { executions, workflows, type Caller } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { executionWork, startWork } from '../work-kinds.js';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import type { BuiltStep } from '../testing/graph-builder.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.effected.sends.length = 0;
  suite.effected.updates.length = 0;
});

// A test that fails leaves none that waits for its answer.
let openHeld: () => void = () => undefined;
afterEach(() => openHeld());

const effects = {
  mail: { type: 'SEND_EMAIL', config: { subject: 'Hi', body: 'Hello' } },
  change: { type: 'UPDATE_CONTACT', config: { updates: { plan: 'pro' } } },
} satisfies Record<string, BuiltStep>;

/** As many effects are begun together. */
const together = 64;
const count = 2 * together + 2;

/** What other services were asked for, in order; an effect that is asked for twice is here twice. */
const begun = (): string[] => [
  ...suite.effected.sends.map(({ metadata }) => metadata!['executionId'] as string),
  ...suite.effected.updates.map(({ effect }) => effect!.executionId),
];

/** The other services answer once the returned function is called. */
function holdEffects(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  suite.gate = promise;
  suite.onUpdate = () => promise;
  openHeld = resolve;
  return resolve;
}

async function waitingOf(caller: Caller, workflowId: string): Promise<string[]> {
  const rows = await suite.database.query<{ id: string }>(
    `SELECT id FROM executions WHERE project_id = $1 AND workflow_id = $2 AND status = 'WAITING'`,
    [caller.projectId, workflowId],
  );
  return rows.map(({ id }) => id);
}

/** Calls are gathered, so that not all that are under way have reached the other service. */
async function heldOf(caller: Caller, workflowId: string): Promise<Set<string>> {
  const rows = await suite.database.query<{ id: string }>(
    `WITH free AS (SELECT id FROM executions WHERE project_id = $1 AND workflow_id = $2 FOR UPDATE SKIP LOCKED)
     SELECT id FROM executions WHERE project_id = $1 AND workflow_id = $2 AND id NOT IN (SELECT id FROM free)`,
    [caller.projectId, workflowId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** In one commit, so that one batch takes them all. */
async function endDelays(projectId: string): Promise<void> {
  await suite.database.transaction(async () => {
    await suite.database.query(`UPDATE executions SET due_at = now() WHERE project_id = $1`, [projectId]);
    await suite.database.query(
      `UPDATE work_items SET due_at = now(), state = 'READY' WHERE project_id = $1 AND kind = $2`,
      [projectId, executionWork.name],
    );
  });
  suite.queue.wakeAfterCommit();
}

/** One batch of executions whose delays have ended: the first effects are under way, and the other service answers them once `open` is called; the rest have not begun. */
async function buildHeld(effect: BuiltStep) {
  const { caller, projectId } = suite.buildProject();
  const { id: workflowId } = await suite.enable(caller, {
    delay: { type: 'DELAY', config: { amount: 1, unit: 'days' }, next: 'effect' },
    effect,
  });
  const entries = Array.from({ length: count }, () => ({
    contactId: suite.addContact(projectId).id,
    event: null,
  }));
  await suite.queue.enqueue(startWork, [{ projectId, payload: { workflowId, entries } }]);
  const ids = await eventually(async () => {
    const waiting = await waitingOf(caller, workflowId);
    return waiting.length === count ? waiting : null;
  }, 'all of them wait');
  const open = holdEffects();
  await endDelays(projectId);
  await eventually(async () => begun().length > 0, 'the first effects are under way');
  const underWay = await heldOf(caller, workflowId);
  expect(underWay.size).toBe(together);
  const settled = () =>
    eventually(async () => {
      const items = await suite.database.query(
        `SELECT 1 FROM work_items WHERE project_id = $1 AND kind = $2 AND state <> 'DEAD'`,
        [projectId, executionWork.name],
      );
      return items.length === 0;
    }, 'nothing is left to do');
  const cancel = (id: string) => suite.bus.call(executions.cancel, caller, { id, workflowId });
  return { caller, workflowId, ids, underWay, open, settled, cancel };
}

const waits = (statement: string) =>
  eventually(
    async () => (await lockWaiters(suite.database, { statement })).length > 0,
    `waits for what is under way: ${statement}`,
  );

describe.each(Object.entries(effects))('an effect (%s)', (_, effect) => {
  it('does not begin after the answer of a pause, which waits for those under way', async () => {
    const { caller, workflowId, underWay, open, settled } = await buildHeld(effect);
    const paused = suite.bus.call(workflows.pause, caller, { id: workflowId });
    await waits('pg_advisory_xact_lock(');
    open();
    const { workflow, cancelledExecutions } = await paused;
    expect(workflow.enabled).toBe(false);
    // What was done may be stored before or after the pause.
    expect(cancelledExecutions).toBeGreaterThanOrEqual(count - together);
    await settled();
    expect(begun().toSorted()).toEqual([...underWay].toSorted());
  });

  it('does not begin after the answer of a cancellation, which does not wait for those of others', async () => {
    const { ids, underWay, open, settled, cancel } = await buildHeld(effect);
    const [first, second, ...others] = ids.filter((id) => !underWay.has(id));
    const answers = await Promise.all([first!, second!].map(cancel));
    expect(answers.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(begun().filter((id) => !underWay.has(id))).toEqual([]);
    open();
    await settled();
    expect(begun().toSorted()).toEqual([...underWay, ...others].toSorted());
  });

  it('that is under way ends before its cancellation is answered', async () => {
    const { underWay, open, settled, cancel } = await buildHeld(effect);
    const order: string[] = [];
    const cancelled = cancel([...underWay][0]!).then(({ status }) => order.push(status));
    await waits('FOR UPDATE OF e');
    order.push('answered by the other service');
    open();
    await cancelled;
    expect(order).toEqual(['answered by the other service', 'CANCELLED']);
    await settled();
    expect(begun()).toHaveLength(count);
  });

  it('does not begin a second after its project is disabled; it waits', async () => {
    const { caller, ids, underWay, open } = await buildHeld(effect);
    suite.disabledProjects.add(caller.projectId!);
    await suite.forgetStandings();
    open();
    for (const id of ids.filter((each) => !underWay.has(each))) await suite.postponed(id);
    expect(begun().toSorted()).toEqual([...underWay].toSorted());
    suite.disabledProjects.delete(caller.projectId!);
  });
});

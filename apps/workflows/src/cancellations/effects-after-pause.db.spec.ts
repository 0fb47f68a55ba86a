import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { executions, workflows } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { executionWork } from '../executions/execution-kinds.js';
import { startWork } from '../starts/start-kinds.js';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.effected.sends.length = 0;
});

const welcome = { only: { type: 'SEND_EMAIL' as const, config: { subject: 'Hi', body: 'Hello' } } };

/** Executions whose first mails are being sent, and are answered once `open` is called. */
async function buildSending(count: number) {
  const { caller, projectId } = suite.buildProject();
  const { id: workflowId } = await suite.enable(caller, welcome);
  const entries = Array.from({ length: count }, () => ({
    contactId: suite.addContact(projectId).id,
    event: null,
  }));
  let open: () => void = () => undefined;
  suite.gate = new Promise((resolve) => (open = resolve));
  await suite.queue.enqueue(startWork, [{ projectId, payload: { workflowId, entries } }]);
  await eventually(async () => (suite.effected.sends.length > 0 ? true : null), 'the first are sent');
  const settled = () =>
    eventually(async () => {
      const items = await suite.database.query(
        `SELECT 1 FROM work_items WHERE project_id = $1 AND kind = $2 AND state <> 'DEAD'`,
        [projectId, executionWork.name],
      );
      return items.length === 0 ? true : null;
    }, 'nothing is left to do');
  return { caller, projectId, workflowId, open, settled };
}

describe('after the answer', () => {
  it('of a pause no execution sends any more', async () => {
    const { caller, workflowId, open, settled } = await buildSending(250);
    const paused = suite.bus.call(workflows.pause, caller, { id: workflowId }).then((answer) => {
      return { answer, sent: suite.effected.sends.length };
    });
    open();
    const { answer, sent } = await paused;
    expect(answer.workflow.enabled).toBe(false);
    await settled();
    expect([suite.effected.sends.length, sent < 250]).toEqual([sent, true]);
  });

  it('of a cancellation its execution sends no more', async () => {
    const { caller, workflowId, open, settled } = await buildSending(250);
    await eventually(async () => (suite.effected.sends.length >= 64 ? true : null), 'a part is being sent');
    const { items } = await suite.bus.call(executions.list, caller, { workflowId, limit: 100 });
    const sentOf = (id: string): boolean =>
      suite.effected.sends.some(({ metadata }) => metadata!['executionId'] === id);
    const waiting = items.filter(({ id }) => !sentOf(id)).slice(0, 5);
    const cancelled = waiting.map(async ({ id }) => {
      await suite.bus.call(executions.cancel, caller, { id, workflowId });
      return { id, sent: sentOf(id) };
    });
    // Those that are not being sent yet are cancelled at once.
    const answered = (await Promise.allSettled(cancelled)).flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    open();
    await settled();
    expect(answered.filter(({ id, sent }) => sent !== sentOf(id))).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, executions, workflowGraphs } from '@posthorn/contracts';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

describe('the version of an execution', () => {
  it('stays when it is retried after the graph was replaced', async () => {
    const { caller, projectId } = suite.buildProject();
    const config = { subject: 'Old', body: 'Hello' };
    const { id: workflowId, graph } = await suite.enable(caller, { only: { type: 'SEND_EMAIL', config } });
    suite.refusal = new DomainError('forbidden', 'project_disabled', 'The project is disabled');
    const execution = await suite.start(caller, workflowId, suite.addContact(projectId).id);
    await suite.until(caller, execution, 'FAILED');
    suite.refusal = null;
    const steps = graph.steps.map((step) =>
      step.name === 'only' ? { ...step, config: { ...config, subject: 'New' } } : step,
    );
    const { transitions } = graph;
    await suite.bus.call(workflowGraphs.put, caller, { id: workflowId, steps, transitions });
    await suite.bus.call(executions.retry, caller, { id: execution.id, workflowId });
    await suite.until(caller, execution, 'COMPLETED');
    const other = await suite.start(caller, workflowId, suite.addContact(projectId).id);
    await suite.until(caller, other, 'COMPLETED');
    expect(suite.effected.sends.map(({ subject }) => subject)).toEqual(['Old', 'New']);
  });
});

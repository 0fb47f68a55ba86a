import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectWebhookSecrets, workflows } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import { startWebhooksSuite, type WebhooksSuite } from '../../testing/webhooks-suite.js';
import { callWork } from '../../work-kinds.js';
import { StepCalls } from './step-calls.js';
import { CallsRepository, type StepCall } from '../calls/calls.repository.js';

let suite: WebhooksSuite;
let steps: StepCalls;
beforeAll(async () => {
  suite = await startWebhooksSuite();
  steps = new StepCalls(new CallsRepository(suite.database), suite.queue);
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.receiver.answer = () => ({});
});

/** An execution that waits for its step. */
async function buildExecution() {
  const project = suite.buildProject();
  const { caller, projectId } = project;
  const { id: workflowId } = await suite.bus.call(workflows.create, caller, {
    name: 'W',
    triggerType: 'MANUAL',
  });
  const executionId = newId();
  await suite.database.query(
    `INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, wait, due_at)
     SELECT project_id, $3, id, version, generation, $4, 'WAITING', 'WEBHOOK', now() + interval '1 day' FROM workflows WHERE project_id = $1 AND id = $2`,
    [projectId, workflowId, executionId, newId()],
  );
  const path = `/${newId()}`;
  const call = (changes: Partial<StepCall> = {}): StepCall => ({
    id: newId(),
    executionId,
    contactId: newId(),
    method: 'POST',
    url: suite.receiver.url(path),
    headers: { 'X-Key': 'k' },
    body: '{"a":1}',
    ...changes,
  });
  const result = async (id: string) => (await steps.results(projectId, [id])).get(id);
  return {
    ...project,
    workflowId,
    executionId,
    path,
    call,
    result,
    ended: (id: string) =>
      eventually(async () => {
        const found = await result(id);
        return found && found.status !== 'PENDING' ? found : null;
      }, 'the call has ended'),
    received: () => suite.receiver.on(path),
    passTime: async () => {
      await suite.database.query(`UPDATE endpoints SET rests_until = NULL WHERE project_id = $1`, [
        projectId,
      ]);
      await suite.database.query(
        `UPDATE calls SET due_at = now() WHERE project_id = $1 AND status = 'PENDING'`,
        [projectId],
      );
      const [endpoint] = await suite.database.query<{ id: string }>(
        `SELECT endpoint_id AS id FROM calls WHERE project_id = $1 LIMIT 1`,
        [projectId],
      );
      await suite.queue.enqueue(callWork, [{ projectId, key: endpoint!.id, payload: { kind: 'STEP' } }]);
    },
  };
}

describe('the call of a webhook step', () => {
  it('is made once, signed with the secret of the project', async () => {
    const execution = await buildExecution();
    const { secret } = await suite.bus.call(projectWebhookSecrets.rotate, execution.caller, {});
    suite.receiver.answer = () => ({ status: 201, body: '{"id":7}' });
    const call = execution.call();
    await suite.database.transaction(() => steps.add(execution.projectId, [call]));
    await steps.add(execution.projectId, [{ ...call, body: '{"a":2}' }]);
    expect(await execution.ended(call.id)).toEqual({
      status: 'SUCCESS',
      responseStatus: 201,
      responseBody: '{"id":7}',
      error: null,
    });
    expect(execution.received()).toHaveLength(1);
    const { method, headers, body } = execution.received()[0]!;
    expect([method, headers['x-key'], headers['content-type'], headers['webhook-id'], body]).toEqual([
      ...['POST', 'k', 'application/json', call.id, '{"a":1}'],
    ]);
    new Webhook(secret).verify(body, headers);
  });

  it('follows redirects, each of which is checked', async () => {
    const execution = await buildExecution();
    suite.receiver.answer = ({ path }) =>
      path === execution.path
        ? { status: 302, headers: { location: `${execution.path}-2` } }
        : { body: path };
    const moved = execution.call();
    await steps.add(execution.projectId, [moved]);
    expect(await execution.ended(moved.id)).toMatchObject({
      status: 'SUCCESS',
      responseBody: `${execution.path}-2`,
    });
    suite.receiver.answer = () => ({ status: 307, headers: { location: 'http://169.254.169.254/latest' } });
    const other = await buildExecution();
    const metadata = other.call();
    await steps.add(other.projectId, [metadata]);
    expect(await other.ended(metadata.id)).toMatchObject({
      status: 'FAILED',
      responseStatus: null,
      error: 'The URL leads to an address that is not public',
    });
  });

  it('is signed for what is sent when a redirect drops its body', async () => {
    const execution = await buildExecution();
    const { secret } = await suite.bus.call(projectWebhookSecrets.rotate, execution.caller, {});
    const target = `${execution.path}-2`;
    suite.receiver.answer = ({ path }) =>
      path === execution.path ? { status: 303, headers: { location: target } } : {};
    const call = execution.call();
    await steps.add(execution.projectId, [call]);
    expect(await execution.ended(call.id)).toMatchObject({ status: 'SUCCESS' });
    const [got] = suite.receiver.on(target);
    expect([got!.method, got!.body, got!.headers['webhook-id']]).toEqual(['GET', '', call.id]);
    for (const { body, headers } of [execution.received()[0]!, got!])
      new Webhook(secret).verify(body, headers);
  });

  it('is tried six times, and its execution is due when it has failed', async () => {
    const execution = await buildExecution();
    suite.receiver.answer = () => ({ status: 503, body: 'later' });
    const call = execution.call();
    await steps.add(execution.projectId, [call]);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await eventually(async () => {
        const rows = await suite.database.query(`SELECT 1 FROM calls WHERE id = $1 AND attempts = $2`, [
          call.id,
          attempt,
        ]);
        return rows.length > 0;
      }, `attempt ${attempt} is recorded`);
      expect((await execution.result(call.id))!.status).toBe(attempt < 6 ? 'PENDING' : 'FAILED');
      await execution.passTime();
    }
    expect(await execution.ended(call.id)).toMatchObject({
      status: 'FAILED',
      responseStatus: 503,
      responseBody: 'later',
    });
    expect(new Set(execution.received().map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([call.id]),
    );
  });

  it.each([
    ['a refusal', 404],
    ['a redirect without a target', 304],
  ])('fails at once after %s', async (_, status) => {
    const execution = await buildExecution();
    suite.receiver.answer = () => ({ status });
    const call = execution.call();
    await steps.add(execution.projectId, [call]);
    expect(await execution.ended(call.id)).toMatchObject({ status: 'FAILED', responseStatus: status });
    expect(execution.received()).toHaveLength(1);
  });

  it.each<[string, Partial<StepCall>, string]>([
    ['no URL', { url: 'shop' }, 'The URL is not a URL'],
    ['a URL of another kind', { url: 'file:///etc/passwd' }, 'The URL must be http or https'],
    ['a header that is not for it', { headers: { Host: 'other' } }, 'The header Host cannot be sent'],
    ['a header of two lines', { headers: { 'X-A': 'a\r\nX-B: b' } }, 'The header X-A cannot be sent'],
  ])('fails with %s', async (_, changes, error) => {
    const execution = await buildExecution();
    const call = execution.call(changes);
    await steps.add(execution.projectId, [call]);
    expect(await execution.ended(call.id)).toMatchObject({ status: 'FAILED', error });
    expect(execution.received()).toEqual([]);
  });

  it('is not made any more when its execution has ended', async () => {
    const execution = await buildExecution();
    await suite.database.query(
      `UPDATE executions SET status = 'CANCELLED', ended_at = now(), due_at = NULL WHERE id = $1`,
      [execution.executionId],
    );
    const call = execution.call();
    await steps.add(execution.projectId, [call]);
    expect(await execution.ended(call.id)).toMatchObject({
      status: 'FAILED',
      error: 'The execution has ended',
    });
    expect(execution.received()).toEqual([]);
  });

  it('begins no more when its workflow was paused while others were made', async () => {
    const execution = await buildExecution();
    const { caller, workflowId } = execution;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    suite.receiver.answer = () => ({ until: opened });
    const calls = Array.from({ length: 30 }, () => execution.call());
    await suite.database.transaction(() => steps.add(execution.projectId, calls));
    await eventually(async () => (execution.received().length > 0 ? true : null), 'the first is made');
    await suite.bus.call(workflows.pause, caller, { id: workflowId });
    const made = execution.received().length;
    suite.receiver.answer = () => ({});
    open();
    for (const { id } of calls) await execution.passTime().then(() => execution.ended(id));
    expect(execution.received().length).toBeLessThan(30);
    expect(execution.received().length).toBeLessThanOrEqual(made + 8);
  });
});

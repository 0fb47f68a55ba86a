import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emailEvents, webhookEvents, webhooks, type EmailChangedEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startWebhooksSuite, type WebhooksSuite } from '../../testing/webhooks-suite.js';
import { callWork } from '../../work-kinds.js';

let suite: WebhooksSuite;
beforeAll(async () => {
  suite = await startWebhooksSuite();
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.receiver.answer = () => ({});
});

const sent = (): EmailChangedEvent => ({
  emailId: newId(),
  to: 'ada@example.org',
  at: new Date(),
  sourceType: 'TRANSACTIONAL',
});

/** An own project with one webhook, whose path is its id. */
async function buildEndpoint() {
  const project = suite.buildProject();
  const path = `/${newId()}`;
  const { id } = await suite.buildWebhook(project.caller, { url: suite.receiver.url(path) });
  return {
    ...project,
    id,
    path,
    publish: (count = 1) =>
      suite.sending.publish(emailEvents.sent, project.projectId, Array.from({ length: count }, sent)),
    passTime: () => suite.passTime(project.projectId, id),
    received: () => suite.receiver.on(path),
    gets: (count: number) =>
      eventually(async () => suite.receiver.on(path).length >= count, `${path} gets ${count} calls`),
  };
}

describe('a call', () => {
  it('is tried again under one id until the endpoint takes it', async () => {
    const endpoint = await buildEndpoint();
    suite.receiver.answer = () => ({ status: endpoint.received().length < 3 ? 503 : 200 });
    const began = Date.now();
    await endpoint.publish();
    await endpoint.gets(1);
    const [waiting] = await eventually(async () => {
      const calls = await suite.callsOf(endpoint.caller, endpoint.id);
      return calls[0]?.attempt === 1 ? calls : null;
    }, 'the first attempt is recorded');
    expect(waiting).toMatchObject({ status: 'PENDING', responseStatus: 503 });
    const nextAt = waiting!.nextAttemptAt!.getTime();
    expect(nextAt - began).toBeGreaterThan(1_000);
    expect(nextAt - Date.now()).toBeLessThanOrEqual(5_000);
    for (const count of [2, 3]) {
      await endpoint.passTime();
      await endpoint.gets(count);
      await eventually(
        async () => (await suite.callsOf(endpoint.caller, endpoint.id))[0]!.attempt === count,
        'the attempt is recorded',
      );
    }
    const [call] = await suite.endedCalls(endpoint.caller, endpoint.id);
    expect(call).toMatchObject({ status: 'SUCCESS', attempt: 3, responseStatus: 200 });
    expect(call!.attempts.map(({ responseStatus }) => responseStatus)).toEqual([503, 503, 200]);
    expect(new Set(endpoint.received().map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([call!.payload['id']]),
    );
    expect(new Set(endpoint.received().map(({ body }) => body)).size).toBe(1);
  });

  it('keeps its id when it is replayed, and a redirect is a failure', async () => {
    const endpoint = await buildEndpoint();
    await endpoint.publish();
    const [first] = await suite.endedCalls(endpoint.caller, endpoint.id);
    suite.receiver.answer = () => ({ status: 302, headers: { location: '/elsewhere' } });
    const replayed = await suite.bus.call(webhooks.replay, endpoint.caller, {
      id: endpoint.id,
      callId: first!.id,
    });
    expect(replayed).toMatchObject({ id: first!.id, status: 'PENDING' });
    await endpoint.gets(2);
    const [again] = await eventually(async () => {
      const calls = await suite.callsOf(endpoint.caller, endpoint.id);
      return calls[0]!.attempt === 2 ? calls : null;
    }, 'the replay is recorded');
    expect(again).toMatchObject({ status: 'PENDING', responseStatus: 302 });
    const [one, two] = endpoint.received();
    expect([two!.headers['webhook-id'], two!.body]).toEqual([one!.headers['webhook-id'], one!.body]);
    expect(suite.receiver.on('/elsewhere')).toEqual([]);
  });

  it('that ends its process again and again fails, and the others of its endpoint are made', async () => {
    const endpoint = await buildEndpoint();
    suite.receiver.answer = () => ({ status: 500 });
    await endpoint.publish(2);
    await eventually(
      async () =>
        (await suite.callsOf(endpoint.caller, endpoint.id)).filter(({ attempt }) => attempt === 1).length ===
        2,
      'both are tried',
    );
    suite.receiver.answer = () => ({});
    await suite.database.query(
      `UPDATE calls SET claims = 5 WHERE endpoint_id = $1 AND id = (SELECT id FROM calls WHERE endpoint_id = $1 ORDER BY due_at, id LIMIT 1)`,
      [endpoint.id],
    );
    await endpoint.passTime();
    const calls = await suite.endedCalls(endpoint.caller, endpoint.id, 2);
    expect(calls.map(({ status, error }) => [status, error]).sort()).toEqual([
      ['FAILED', 'The process ended 5 times while this was sent'],
      ['SUCCESS', null],
    ]);
  });

  it('is sent alone when a process ended during the turn of its endpoint', async () => {
    const endpoint = await buildEndpoint();
    suite.receiver.answer = () => ({ status: 500 });
    await endpoint.publish(2);
    await eventually(async () => {
      const calls = await suite.callsOf(endpoint.caller, endpoint.id);
      return calls.length === 2 && calls.every(({ attempt }) => attempt === 1);
    }, 'both are tried');
    let [underWay, most] = [0, 0];
    suite.receiver.answer = () => {
      most = Math.max(most, (underWay += 1));
      setTimeout(() => (underWay -= 1), 150);
      return { afterMs: 200 };
    };
    await suite.database.query(`UPDATE endpoints SET rests_until = NULL WHERE id = $1`, [endpoint.id]);
    await eventually(async () => {
      const suspects = await suite.database.query(
        `WITH suspects AS (UPDATE work_items SET state = 'SUSPECT', claims = 1 WHERE key = ($1::uuid)::text AND state = 'WAITING' RETURNING 1)
         UPDATE calls SET due_at = now() WHERE endpoint_id = $1::uuid AND EXISTS (SELECT FROM suspects) RETURNING 1`,
        [endpoint.id],
      );
      return suspects.length === 2;
    }, 'the turn has ended, as if with its process');
    await suite.queue.enqueue(callWork, [
      { projectId: endpoint.projectId, key: newId(), payload: { kind: 'EVENT' } },
    ]);
    const calls = await suite.endedCalls(endpoint.caller, endpoint.id, 2);
    expect(calls.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['SUCCESS', 2],
      ['SUCCESS', 2],
    ]);
    expect(most).toBe(1);
  });

  it('is not made again where the database was away when its outcome came', async () => {
    const endpoint = await buildEndpoint();
    let [open, release] = [() => {}, () => {}];
    const opened = new Promise<void>((resolve) => (open = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    suite.receiver.answer = () => ({ until: opened });
    await endpoint.publish(20);
    await endpoint.gets(8);
    const blocked = suite.database.transaction(async () => {
      await suite.database.query('LOCK TABLE calls IN SHARE MODE');
      open();
      await released;
    });
    await eventually(async () => {
      const ended = await suite.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE calls c SET attempts%'`,
      );
      return ended.length > 0;
    }, 'the connection of an outcome is broken');
    release();
    await blocked;
    const calls = await suite.endedCalls(endpoint.caller, endpoint.id, 20);
    expect(calls.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(Array(20).fill('SUCCESS 1'));
    expect(endpoint.received()).toHaveLength(20);
  });

  it('keeps 16 KiB of its response', async () => {
    const endpoint = await buildEndpoint();
    suite.receiver.answer = () => ({ body: `\u0000${'é'.repeat(20_000)}` });
    await endpoint.publish();
    const [call] = await suite.endedCalls(endpoint.caller, endpoint.id);
    expect(Buffer.byteLength(call!.responseBody!)).toBeLessThanOrEqual(16_384);
    expect(call!.responseBody).toMatch(/^\ufffdé+$/);
  });
});

describe('an endpoint', () => {
  it('that hangs delays no other one', async () => {
    const hanging = await Promise.all(Array.from({ length: 6 }, buildEndpoint));
    const quick = await buildEndpoint();
    const paths = new Set(hanging.map(({ path }) => path));
    suite.receiver.answer = ({ path }) => ({ hangs: paths.has(path) });
    for (const each of hanging) await each.publish(3);
    await Promise.all(hanging.map((each) => each.gets(3)));
    const began = performance.now();
    await quick.publish(100);
    await quick.gets(100);
    expect(performance.now() - began).toBeLessThan(8_000);
    await suite.endedCalls(quick.caller, quick.id, 100);
    const [call] = await eventually(async () => {
      const calls = await suite.callsOf(hanging[0]!.caller, hanging[0]!.id);
      return calls.every(({ attempt }) => attempt === 1) ? calls : null;
    }, 'its calls have timed out');
    expect(call).toMatchObject({ status: 'PENDING', responseStatus: null });
    expect(call!.error).toMatch(/^timeout/);
  });

  it('that is slow gets every call once', async () => {
    const slow = await buildEndpoint();
    suite.receiver.answer = () => ({ afterMs: 900 });
    await slow.publish(20);
    await slow.gets(20);
    const calls = await suite.endedCalls(slow.caller, slow.id, 20);
    expect(calls.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(Array(20).fill('SUCCESS 1'));
    expect(slow.received()).toHaveLength(20);
  });

  it('that fails several times is left alone, and then tried with one call', async () => {
    const endpoint = await buildEndpoint();
    suite.receiver.answer = () => ({ status: 500 });
    await endpoint.publish(30);
    await endpoint.gets(3);
    const state = () =>
      suite.database
        .query<{ failures: number; rest: number }>(
          `SELECT failures_in_row AS failures, rest_seconds AS rest FROM endpoints WHERE id = $1`,
          [endpoint.id],
        )
        .then(([row]) => row);
    const broken = await eventually(
      async () => ((await state())?.rest === 5 ? state() : null),
      'it is left alone',
    );
    expect(broken!.failures).toBeGreaterThanOrEqual(3);
    expect(endpoint.received().length).toBeLessThanOrEqual(11);
    const before = endpoint.received().length;
    await endpoint.passTime();
    await eventually(async () => (await state())!.rest === 10, 'one call has failed');
    expect(endpoint.received()).toHaveLength(before + 1);
    suite.receiver.answer = () => ({});
    await endpoint.passTime();
    await suite.endedCalls(endpoint.caller, endpoint.id, 30);
    expect(await state()).toEqual({ failures: 0, rest: 0 });
  });

  it.each([
    ['answers 410', 410, 0, 'The endpoint answered 410 Gone'],
    ['fails a hundred times in a row', 500, 99, '100 attempts in a row failed'],
  ])('that %s is disabled, and what waits for it ends', async (_, status, failures, reason) => {
    const endpoint = await buildEndpoint();
    await suite.database.query(
      `INSERT INTO endpoints (project_id, id, failures_in_row, failing_since) VALUES ($1, $2, $3, now())`,
      [endpoint.projectId, endpoint.id, failures],
    );
    suite.receiver.answer = () => ({ status });
    await endpoint.publish(2);
    const calls = await suite.endedCalls(endpoint.caller, endpoint.id, 2);
    expect(calls.every((call) => call.status === 'FAILED')).toBe(true);
    expect(await suite.bus.call(webhooks.get, endpoint.caller, { id: endpoint.id })).toMatchObject({
      status: 'DISABLED',
      disabledReason: reason,
    });
    expect(await suite.eventsOf(endpoint.projectId, webhookEvents.disabled)).toMatchObject([
      { webhookId: endpoint.id, origin: new URL(suite.receiver.url()).origin, reason },
    ]);
    const active = await suite.bus.call(webhooks.update, endpoint.caller, {
      id: endpoint.id,
      status: 'ACTIVE',
    });
    expect(active).toMatchObject({ status: 'ACTIVE', disabledReason: null });
  });

  it('that has had no success for three days is disabled', async () => {
    const endpoint = await buildEndpoint();
    await suite.database.query(
      `INSERT INTO endpoints (project_id, id, failures_in_row, failing_since) VALUES ($1, $2, 2, now() - interval '73 hours')`,
      [endpoint.projectId, endpoint.id],
    );
    suite.receiver.answer = () => ({ status: 500 });
    await endpoint.publish();
    await suite.endedCalls(endpoint.caller, endpoint.id);
    expect(await suite.bus.call(webhooks.get, endpoint.caller, { id: endpoint.id })).toMatchObject({
      status: 'DISABLED',
      disabledReason: 'No attempt has been successful for 3 days',
    });
  });
});

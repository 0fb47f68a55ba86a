import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { eventually } from '@posthorn/testing';
import { startSending } from '../service.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { ClaimsRepository } from './claiming/claims.repository.js';

let suite: SendingSuite;
let worker: RunningService;
beforeAll(async () => {
  // One replica accepts, the other one delivers.
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  worker = await startSending({
    environment: { ...suite.environment, DELIVERY_PAUSED: 'false' },
    processMetrics: false,
  });
});
afterAll(async () => {
  await worker.stop();
  await suite.stop();
});

it('delivers mail that another replica accepted without waiting for its next poll', async () => {
  const { caller, domain } = await suite.buildProject();
  const took: number[] = [];
  for (let sent = 0; sent < 10; sent += 1) {
    const began = performance.now();
    const to = `heard-${sent}@sink.test`;
    await suite.bus.call(emails.accept, caller, buildSend(domain, { to }));
    await eventually(
      async () => suite.sink.messages.some((message) => message.to === to),
      `${to} is handed over`,
    );
    took.push(performance.now() - began);
  }
  // By looks alone each would come a second after the one before.
  expect(took.sort((a, b) => a - b)[5]).toBeLessThan(700);
});

it('is idle only while nothing is queued, claimed, in hand-off or ambiguous', async () => {
  const claims = new ClaimsRepository(suite.database);
  await eventually(() => claims.isIdle(), 'all is delivered');
  const { projectId } = await suite.buildProject();
  for (const state of [
    'QUEUED',
    'CLAIMED',
    'HANDOFF',
    'AMBIGUOUS',
    'SENT',
    'BOUNCED',
    'FAILED',
    'CANCELLED',
  ]) {
    const isIdle = await suite.database.transaction(async () => {
      await suite.database.query(`DELETE FROM deliveries`);
      await suite.database.query(
        `INSERT INTO deliveries (project_id, email_id, recipient, lane, state, due_at, expires_at, worker_id, bytes)
         VALUES ($1, gen_random_uuid(), 'ada@sink.test', 0, $2, now() + interval '1 hour', now() + interval '2 hours', gen_random_uuid(), 1)`,
        [projectId, state],
      );
      const answer = await claims.isIdle();
      await suite.database.query(`DELETE FROM deliveries`);
      return answer;
    });
    expect([state, isIdle]).toEqual([state, ['SENT', 'BOUNCED', 'FAILED', 'CANCELLED'].includes(state)]);
  }
});

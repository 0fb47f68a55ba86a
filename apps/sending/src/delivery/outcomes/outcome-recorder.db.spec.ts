import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { failure, type Outcome } from './outcome.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { OutcomesRepository } from './outcomes.repository.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

/** As if a text had come past the bounds: Postgres refuses it inside the event. */
const illFormed = (): Outcome => {
  const outcome = failure('rendering', 'x');
  return {
    ...outcome,
    events: outcome.events.map(({ event, payload }) => ({
      event,
      payload: { ...payload, reason: '\ud83d' },
    })),
  };
};
/** Also without what was said: no instant is so late. */
const impossible = (): Outcome => ({ ...failure('rendering', 'x'), delayMs: 1e300 });

describe('outcomes that are written together', () => {
  it('are all written; those that Postgres refuses are written in a reduced form', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const outcomes = [
      illFormed(),
      failure('expired', 'plain'),
      impossible(),
      failure('expired', 'plain'),
      illFormed(),
    ];
    const ids = await Promise.all(
      outcomes.map(
        async () => (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!.id,
      ),
    );
    await suite.database.query(
      `UPDATE deliveries SET state = 'CLAIMED', lease_token = 1, worker_id = $2 WHERE project_id = $1`,
      [projectId, newId()],
    );
    const recorder = new OutcomeRecorder(new OutcomesRepository(suite.database), suite.database.tracing);
    await Promise.all(
      outcomes.map((outcome, index) =>
        recorder.record({
          ...{
            projectId,
            emailId: ids[index]!,
            position: 0,
            leaseToken: 1,
            recipient: 'ada@example.org',
            subject: null,
            trace: null,
          },
          outcome,
        }),
      ),
    );
    const ended = await Promise.all(ids.map((id) => suite.bus.call(emails.get, caller, { id })));
    const reduced = ['FAILED', 'rendering', 'The error text could not be stored'];
    const plain = ['FAILED', 'expired', 'plain'];
    expect(ended.map(({ status, failureKind, error }) => [status, failureKind, error])).toEqual([
      ...[reduced, plain],
      ['PENDING', null, null],
      ...[plain, reduced],
    ]);
    const published = await suite.database.query<{ emailId: string }>(
      `SELECT item->>'emailId' AS "emailId" FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 AND fact = 'sending.email.failed'`,
      [projectId],
    );
    expect(published.map(({ emailId }) => emailId).sort()).toEqual(
      ids.filter((_, index) => index !== 2).sort(),
    );
  });
});

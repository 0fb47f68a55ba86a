import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, serviceCaller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { Attempt } from '@posthorn/mail';
import { buildReportedMails } from '../../testing/reported-mail.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { failure, outcomeOf, type Outcome } from './outcome.js';
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
          projectId,
          emailId: ids[index]!,
          position: 0,
          leaseToken: 1,
          recipient: 'ada@example.org',
          subject: null,
          trace: null,
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
      `SELECT item->>'emailId' AS "emailId" FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 AND event_name = 'sending.email.failed'`,
      [projectId],
    );
    expect(published.map(({ emailId }) => emailId).sort()).toEqual(
      ids.filter((_, index) => index !== 2).sort(),
    );
  });
});

describe('the outcome of a copy', () => {
  const rules = { acceptIsDelivery: true, ambiguousMs: 1_000, retryMs: 1_000, random: () => 0 };
  const session = { host: 'mx.example.org', tls: true, durationMs: 5, sessionUsable: true };
  const accepted: Attempt = { ...session, verdict: 'accepted', stage: 'dot' };
  const refused: Attempt = {
    ...session,
    verdict: 'refused',
    stage: 'rcpt',
    reply: { code: 550, enhanced: '5.1.1', text: 'no such user' },
  };

  it('is published about its recipient and leaves the e-mail as it is', async () => {
    const copies = ['bob@example.org', 'eve@example.org'];
    const [mail] = await buildReportedMails(suite.database, 1, { state: 'CLAIMED', copies });
    const { projectId, id: emailId } = mail!;
    const rows = [accepted, refused].map((attempt, index) => {
      const recipient = copies[index]!;
      const progress = {
        recipient,
        attempts: 0,
        resends: 0,
        windowAgeMs: 0,
        ageMs: 0,
        waitsForNextPeriod: false,
        windowIsOver: false,
      };
      return {
        projectId,
        emailId,
        position: index + 1,
        leaseToken: 1,
        recipient,
        subject: null,
        trace: null,
        outcome: outcomeOf(attempt, progress, rules),
      };
    });
    expect(await new OutcomesRepository(suite.database).record(rows)).toBe(2);
    const published = await suite.database.query<{ event: string; item: object }>(
      `SELECT event_name AS event, item - 'at' AS item FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 ORDER BY event_name`,
      [projectId],
    );
    const about = { emailId, from: 'hello@shop.example', sourceType: 'TRANSACTIONAL' };
    expect(published).toEqual([
      { event: 'sending.copy.bounced', item: { ...about, to: copies[1], refused: true } },
      { event: 'sending.copy.sent', item: { ...about, to: copies[0] } },
      { event: 'sending.suppression.added', item: { email: copies[1], reason: 'HARD_BOUNCE' } },
    ]);
    const email = await suite.bus.call(emails.get, serviceCaller('gateway', projectId), { id: emailId });
    expect(email.status).toBe('PENDING');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, explanations } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { claimedMessages } from '../../testing/claimed-messages.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { outcomeOf } from '../outcomes/outcome.js';
import { OutcomesRepository } from '../outcomes/outcomes.repository.js';
import { LeasesRepository } from './leases.repository.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const rules = { seconds: { 0: 60, 1: 60 }, policies: { 0: 'resend', 1: 'hold' } } as const;

describe('the sweep', () => {
  it('takes back the messages of dead workers only', async () => {
    const { projectId } = await suite.buildProject();
    const held = await Promise.all(
      Array.from({ length: 7 }, () => claimedMessages(suite.database, projectId, 3)),
    );
    const inHandOff = held.map(({ messages }) => messages[0]!.emailId);
    await suite.database.query(
      `UPDATE deliveries SET state = 'HANDOFF' WHERE project_id = $1 AND email_id = ANY ($2)`,
      [projectId, inHandOff],
    );
    // In the order of the index the dead stand between the living, and at both ends.
    const inOrder = held.map(({ workerId }) => workerId).sort();
    const dead = new Set(inOrder.filter((_, index) => ![1, 4].includes(index)));
    await suite.database.query(
      `UPDATE workers SET expires_at = now() - interval '1 second' WHERE id = ANY ($1)`,
      [[...dead]],
    );
    await new LeasesRepository(suite.database).sweepExpired(rules);
    const states = await suite.database.query<{ worker: string; states: string[] }>(
      `SELECT worker_id AS worker, array_agg(state ORDER BY state) AS states FROM deliveries WHERE project_id = $1 GROUP BY worker_id`,
      [projectId],
    );
    expect(Object.fromEntries(states.map(({ worker, states }) => [worker, states]))).toEqual(
      Object.fromEntries(
        inOrder.map((worker) => [
          worker,
          dead.has(worker) ? ['AMBIGUOUS', 'QUEUED', 'QUEUED'] : ['CLAIMED', 'CLAIMED', 'HANDOFF'],
        ]),
      ),
    );
  });
});

describe('what a dead process had begun', () => {
  it('stands in the history of each message, as an attempt of those in hand-off', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const accept = async () => (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!.id;
    const [begun, prepared] = [await accept(), await accept()];
    await suite.database.query(
      `UPDATE deliveries SET state = CASE email_id WHEN $2 THEN 'HANDOFF' ELSE 'CLAIMED' END, worker_id = $3 WHERE project_id = $1`,
      [projectId, begun, newId()],
    );
    // The sweeper of the service may come first.
    await new LeasesRepository(suite.database).sweepExpired(rules);
    const explained = (id: string) =>
      eventually(async () => {
        const explanation = await suite.bus.call(explanations.email, caller, { id });
        return explanation.timeline.length > 1 && explanation;
      }, 'its history is written');
    expect((await explained(begun)).attempts).toMatchObject([
      { verdict: 'UNKNOWN', stage: 'unknown', reply: expect.stringMatching(/process .* ended/) },
    ]);
    const { attempts, timeline } = await explained(prepared);
    expect(attempts).toEqual([]);
    expect(timeline.at(-1)).toMatchObject({
      title: 'It waits',
      detail: expect.stringMatching(/process that prepared it ended/),
    });
  });
});

describe('a message that was in hand-off when its third process ended', () => {
  it('fails for a human to decide, whatever the policy, and starts again where a process recorded an outcome', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const accept = async () => (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!.id;
    const [thrice, twice] = [await accept(), await accept()];
    const unknownOutcome = (id: string, claims: number) =>
      suite.database.query(
        `UPDATE deliveries SET state = 'AMBIGUOUS', claims = $3, due_at = now() WHERE project_id = $1 AND email_id = $2`,
        [projectId, id, claims],
      );
    await Promise.all([unknownOutcome(thrice, 3), unknownOutcome(twice, 2)]);
    const failed = await eventually(async () => {
      const email = await suite.bus.call(emails.get, caller, { id: thrice });
      return email.status === 'FAILED' && email;
    }, 'it is given up');
    expect(failed).toMatchObject({
      failureKind: 'delivery_unconfirmed',
      error: expect.stringMatching(/may have taken it$/),
    });
    const resent = await eventually(async () => {
      const [row] = await suite.database.query<{ state: string; claims: number }>(
        `SELECT state, claims FROM deliveries WHERE project_id = $1 AND email_id = $2`,
        [projectId, twice],
      );
      return row!.state === 'QUEUED' && row;
    }, 'the other one is queued again');
    expect(resent).toEqual({ state: 'QUEUED', claims: 2 });
  });
});

describe('a message whose outcome stays unknown', () => {
  const stateOf = async (projectId: string, id: string) => {
    const [row] = await suite.database.query<{ state: string; resends: number }>(
      `SELECT state, resends FROM deliveries WHERE project_id = $1 AND email_id = $2`,
      [projectId, id],
    );
    return row!;
  };
  const unknownOutcome = (projectId: string, id: string, more = '') =>
    suite.database.query(
      `UPDATE deliveries SET state = 'AMBIGUOUS', due_at = now(), lease_token = lease_token + 1 ${more} WHERE project_id = $1 AND email_id = $2`,
      [projectId, id],
    );
  const ended = (projectId: string, id: string, state: string) =>
    eventually(async () => (await stateOf(projectId, id)).state === state, state);

  it('is sent again once, and not a third time', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const { id } = (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!;
    await unknownOutcome(projectId, id);
    await ended(projectId, id, 'QUEUED');
    expect(await stateOf(projectId, id)).toEqual({ state: 'QUEUED', resends: 1 });
    await unknownOutcome(projectId, id);
    await ended(projectId, id, 'FAILED');
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({
      status: 'FAILED',
      failureKind: 'delivery_unconfirmed',
      error: expect.stringContaining('sent twice'),
    });
  });

  it('is not sent again once it is past its day', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const { id } = (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!;
    await unknownOutcome(projectId, id, ', expires_at = now()');
    await ended(projectId, id, 'FAILED');
    expect(await stateOf(projectId, id)).toEqual({ state: 'FAILED', resends: 0 });
  });

  it('is not sent again where its first attempt reports its end in time', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const { id } = (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!;
    await unknownOutcome(projectId, id);
    await ended(projectId, id, 'QUEUED');
    const outcome = outcomeOf(
      { verdict: 'accepted', stage: 'dot', host: 'mx', tls: false, durationMs: 1, sessionUsable: true },
      {
        recipient: 'a@example.org',
        attempts: 0,
        resends: 0,
        windowAgeMs: 0,
        ageMs: 0,
        waitsForNextPeriod: false,
        windowIsOver: false,
      },
      { acceptIsDelivery: true, ambiguousMs: 1, retryMs: 1, random: Math.random },
    );
    const report = (leaseToken: number) =>
      new OutcomesRepository(suite.database).record([
        ...[
          {
            projectId,
            emailId: id,
            position: 0,
            leaseToken,
            recipient: 'a@example.org',
            subject: null,
            trace: null,
            outcome,
          },
        ],
      ]);
    expect(await report(0)).toBe(0);
    expect(await report(1)).toBe(1);
    expect(await report(1)).toBe(0);
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ status: 'DELIVERED' });
  });
});

describe('a queued message whose third process ended', () => {
  it('may have been taken where it was sent again before', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const accept = async () => (await suite.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!.id;
    const failureOf = async (resends: number) => {
      const id = await accept();
      await suite.database.query(
        `UPDATE deliveries SET claims = 3, resends = $3 WHERE project_id = $1 AND email_id = $2`,
        [projectId, id, resends],
      );
      return eventually(
        async () => (await suite.bus.call(emails.get, caller, { id })).failureKind,
        'it has failed',
      );
    };
    expect(await Promise.all([failureOf(0), failureOf(1)])).toEqual(['rendering', 'delivery_unconfirmed']);
  });
});

describe('the common outcome of a message', () => {
  it('is a heap-only update: no index contains a column that it changes', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    const {
      emails: [email],
    } = await suite.bus.call(emails.accept, caller, buildSend(domain));
    const updated = (how: string) => `sum(pg_stat_get_xact_tuples_${how}(inhrelid))::int`;
    const [counts] = await suite.database.transaction(async () => {
      await suite.database.query(
        `UPDATE emails SET status = 'DELIVERED', subject = 'rendered', sent_at = now(), delivered_at = now(), updated_at = now()
         WHERE project_id = $1 AND id = $2`,
        [projectId, email!.id],
      );
      return suite.database.query(
        `SELECT ${updated('updated')} AS updated, ${updated('hot_updated')} AS "inPlace" FROM pg_inherits WHERE inhparent = 'emails'::regclass`,
      );
    });
    expect(counts).toEqual({ updated: 1, inPlace: 1 });
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  noProject,
  emailEvents,
  emails,
  engagement,
  optOuts,
  serviceCaller,
  suppressions,
  type Caller,
  type EmailStatus,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { EventErasure, Outbox } from '@posthorn/messaging';
import { ContactVariablesRepository } from '../composing/contact-variables.repository.js';
import { HandOffMarks, type MarkDecision } from '../delivery/hand-off/hand-off-marks.repository.js';
import { failure } from '../delivery/outcomes/outcome.js';
import { OutcomesRepository } from '../delivery/outcomes/outcomes.repository.js';
import { Pace } from '../pacing/pace.js';
import { claimedMessages, markedBy } from '../testing/claimed-messages.js';
import { ErasedAddressesRepository } from './erased-addresses.repository.js';
import { ErasedMailRepository } from './erased-mail.repository.js';
import { ErasuresService } from './erasures.service.js';
import { WaitingMail } from './waiting-mail.js';
import { WaitingMailRepository } from './waiting-mail.repository.js';
import { erase, eraseOnce, markDelivered, tablesNaming } from '../testing/erasing.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const get = (caller: Caller, id: string) => suite.bus.call(emails.get, caller, { id });

/** A mail of which the queue says this. */
async function buildMail(state: 'QUEUED' | 'CLAIMED' | 'HANDOFF' | 'AMBIGUOUS', more: object = {}) {
  const { caller, domain, projectId } = await suite.buildProject();
  const to = `ada-${newId()}@example.org`;
  const send = { ...buildSend(domain, { to }), ...more };
  await suite.bus.call(emails.accept, caller, send);
  const id = send.recipients[0]!.id;
  const workerId = newId();
  await suite.database.query(`INSERT INTO workers (id, expires_at) VALUES ($1, now() + interval '1 hour')`, [
    workerId,
  ]);
  await suite.database.query(
    `UPDATE deliveries SET state = $2, worker_id = $3, lease_token = 1, due_at = now() + interval '1 hour' WHERE email_id = $1`,
    [id, state, state === 'QUEUED' ? null : workerId],
  );
  const message = {
    projectId,
    emailId: id,
    position: 0,
    leaseToken: 1,
    recipient: to,
    sourceType: 'TRANSACTIONAL' as const,
    trace: null,
  };
  return { caller, projectId, id, to, hash: suite.hasher.hash(projectId, to), workerId, message };
}

const eventsOf = async (projectId: string, name: string) => {
  const rows = await suite.database.query<{ items: Record<string, unknown>[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2`,
    [projectId, name],
  );
  return rows.flatMap(({ items }) => items);
};

describe('mail to somebody who is being erased', () => {
  it.each(['QUEUED', 'CLAIMED'] as const)(
    'that is %s is cancelled, told by its hash, and never handed over',
    async (state) => {
      const { caller, projectId, id, to, hash, workerId, message } = await buildMail(state);
      expect(await erase(suite, caller, to)).toBe(1);
      expect(await get(caller, id)).toMatchObject({
        status: 'CANCELLED',
        failureKind: 'cancelled',
        to: hash,
      });
      expect(await eventsOf(projectId, emailEvents.cancelled.name)).toMatchObject([
        { emailId: id, to: hash, sourceType: 'TRANSACTIONAL' },
      ]);
      const marks = new HandOffMarks(
        suite.database,
        new Pace({ providerKind: 'waiting', perSecond: 0 }),
        suite.hasher,
      );
      expect(await markedBy(marks, workerId, [message])).toMatchObject([{ decision: 'claim_lost' }]);
      // What a worker knew of it comes too late.
      await new ContactVariablesRepository(suite.database).keep(projectId, [
        { emailId: id, variables: { contact: { email: to } } },
      ]);
      await new OutcomesRepository(suite.database).record([
        { ...message, subject: `To ${to}`, outcome: failure('suppressed', `of ${to}`) },
      ]);
      expect(await tablesNaming(suite.database, to)).toEqual([]);
    },
  );

  it('that is scheduled is cancelled', async () => {
    const { caller, id, to, hash } = await buildMail('QUEUED', {
      scheduledAt: new Date(Date.now() + 86_400_000),
    });
    expect(await erase(suite, caller, to)).toBe(1);
    expect(await get(caller, id)).toMatchObject({ status: 'CANCELLED', to: hash });
    expect(await tablesNaming(suite.database, to)).toEqual([]);
  });

  it('that is in hand-off finishes first, and is erased by a later call', async () => {
    const { caller, id, to, hash, message } = await buildMail('HANDOFF');
    expect(await eraseOnce(suite, caller, to)).toBe(false);
    expect(await get(caller, id)).toMatchObject({ status: 'SENDING', to });
    const bounced = {
      ...failure('hard_bounce', `rcpt: 550 <${to}> unknown`),
      state: 'BOUNCED',
      status: 'BOUNCED',
      suppress: true,
    } as const;
    await new OutcomesRepository(suite.database).record([
      { ...message, subject: `To ${to}`, outcome: bounced },
    ]);
    expect(await eraseOnce(suite, caller, to)).toBe(true);
    expect(await get(caller, id)).toMatchObject({
      status: 'BOUNCED' satisfies EmailStatus,
      failureKind: 'hard_bounce',
      error: null,
      to: hash,
      subject: '',
    });
    expect(await tablesNaming(suite.database, to)).toEqual([]);
    const blocked = await suite.database.query(
      `SELECT email, reason FROM suppressions WHERE project_id = $1`,
      [message.projectId],
    );
    expect(blocked).toEqual([{ email: hash, reason: 'HARD_BOUNCE' }]);
  });

  it('that was accepted after the deletion stays', async () => {
    const { caller, domain } = await suite.buildProject();
    const [to, other] = [`ada-${newId()}@example.org`, `bob-${newId()}@example.org`];
    const accept = async (more: object) => {
      const send = { ...buildSend(domain, { to }), ...more };
      await suite.bus.call(emails.accept, caller, send);
      return send.recipients[0]!.id;
    };
    const copied = { recipients: [{ id: newId(), to: { email: other } }], cc: [{ email: to }] };
    const old = await accept({});
    const erasedAt = (await get(caller, old)).createdAt;
    await delay(5);
    const later = [
      await accept({}),
      await accept({ scheduledAt: new Date(Date.now() + 86_400_000) }),
      await accept(copied),
    ];
    expect(await eraseOnce(suite, caller, to, { erasedAt })).toBe(true);
    expect(await eraseOnce(suite, caller, to, { erasedAt })).toBe(true);
    expect(await get(caller, old)).toMatchObject({ status: 'CANCELLED', subject: '' });
    for (const id of later)
      expect(await get(caller, id)).toMatchObject({ status: 'PENDING', subject: 'Hello' });
    const waiting = await suite.database.query(
      `SELECT 1 FROM deliveries WHERE recipient = $1 AND state = 'QUEUED'`,
      [to],
    );
    expect(waiting).toHaveLength(3);
  });

  it('that bounces between two steps of an erasure suppresses the hash only', async () => {
    const { caller, projectId, to, hash, message } = await buildMail('HANDOFF');
    const mail = new ErasedMailRepository(suite.database);
    const outcomes = new OutcomesRepository(suite.database);
    const bounced = {
      ...failure('hard_bounce', 'rcpt: 550 unknown'),
      state: 'BOUNCED',
      status: 'BOUNCED',
      suppress: true,
    } as const;
    const waiting = new WaitingMail(new WaitingMailRepository(suite.database), new Outbox(suite.database));
    const service = new ErasuresService(
      suite.database,
      suite.hasher,
      new ErasedAddressesRepository(suite.database),
      Object.assign(mail, {
        // After the blocks were hashed, and before its own look.
        to: async (...requested: Parameters<ErasedMailRepository['to']>) => {
          await outcomes.record([{ ...message, subject: `To ${to}`, outcome: bounced }]);
          return ErasedMailRepository.prototype.to.apply(mail, requested);
        },
      }),
      waiting,
      new EventErasure(suite.database, 'sending', suite.connection),
    );
    const body = { erasureId: newId(), contactId: newId(), email: to, erasedAt: new Date() };
    expect(await service.erase({ caller, body, deadline: null })).toEqual({ done: true });
    const blocked = await suite.database.query(
      `SELECT email, reason FROM suppressions WHERE project_id = $1`,
      [projectId],
    );
    expect(blocked).toEqual([{ email: hash, reason: 'HARD_BOUNCE' }]);
    expect(await tablesNaming(suite.database, to)).toEqual([]);
  });

  it('with an ambiguous outcome is not sent again, and fails visibly', async () => {
    const { caller, projectId, id, to, hash, message } = await buildMail('AMBIGUOUS');
    expect(await erase(suite, caller, to)).toBe(1);
    expect(await get(caller, id)).toMatchObject({
      status: 'FAILED',
      failureKind: 'delivery_unconfirmed',
      to: hash,
    });
    expect(await eventsOf(projectId, emailEvents.failed.name)).toMatchObject([
      { emailId: id, to: hash, failureKind: 'delivery_unconfirmed' },
    ]);
    await new OutcomesRepository(suite.database).record([
      { ...message, subject: `To ${to}`, outcome: failure('suppressed', `of ${to}`) },
    ]);
    expect(await tablesNaming(suite.database, to)).toEqual([]);
  });

  it('is opened and clicked later without the address', async () => {
    const { caller, projectId, id, to, hash } = await buildMail('HANDOFF');
    await markDelivered(suite.database, id);
    await erase(suite, caller, to);
    const seen = { kind: 'OPEN', projectId, emailId: id, position: 0, agoMs: 0, userAgent: browser } as const;
    await suite.bus.call(engagement.record, serviceCaller('gateway', noProject), {
      items: [{ ...seen, id: newId() }],
    });
    expect(await eventsOf(projectId, emailEvents.opened.name)).toMatchObject([{ emailId: id, to: hash }]);
    expect(await get(caller, id)).toMatchObject({ opens: 1 });
    expect(await tablesNaming(suite.database, to)).toEqual([]);
  });
});

describe('an erasure and a hand-off at the same instant', () => {
  const rounds = 60;

  it(`never unblock a blocked address: ${rounds} races`, async () => {
    const { caller, projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, rounds);
    const blocked = messages.map(({ recipient: email }) => ({ email }));
    await suite.bus.call(optOuts.put, caller, { optOuts: blocked.slice(0, rounds / 2) });
    for (const each of blocked.slice(rounds / 2)) await suite.bus.call(suppressions.put, caller, each);
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'waiting', perSecond: 0 }),
      suite.hasher,
    );
    const marked = async (index: number) => (
      await delay(index % 20),
      markedBy(marks, workerId, [messages[index]!])
    );
    const runs = await Promise.all(
      messages.map(
        async ({ recipient }, index) =>
          (await Promise.all([marked(index), eraseOnce(suite, caller, recipient)]))[0],
      ),
    );
    expect(new Set(runs.flat().map(({ decision }) => decision))).toEqual(
      new Set(['suppressed', 'unsubscribed']),
    );
  });

  it(`happen one after the other: ${rounds} races`, async () => {
    const { caller, projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, rounds);
    await suite.database.query(
      `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
       SELECT project_id, email_id, email_id, 'a@a.example', recipient, 'News', 'PENDING' FROM deliveries WHERE project_id = $1`,
      [projectId],
    );
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'waiting', perSecond: 0 }),
      suite.hasher,
    );
    const runs: { done: boolean; decision: MarkDecision }[] = [];
    for (const [index, message] of messages.entries()) {
      const marked = async () => (await delay((index % 20) ** 2 / 2), markedBy(marks, workerId, [message]));
      const [done, [mark]] = await Promise.all([eraseOnce(suite, caller, message.recipient), marked()]);
      runs.push({ done, decision: mark!.decision });
    }
    // Done means that none of it is on its way, nor will be.
    expect(runs.filter(({ done, decision }) => done === (decision === 'ok'))).toEqual([]);
    expect(new Set(runs.map(({ decision }) => decision))).toEqual(new Set(['ok', 'claim_lost']));
  });
});

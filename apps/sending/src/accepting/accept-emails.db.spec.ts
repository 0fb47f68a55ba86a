import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

describe('accepting mail', () => {
  let suite: SendingSuite;
  beforeAll(async () => {
    suite = await startSendingSuite();
  });
  afterAll(() => suite.stop());

  it('commits the e-mail, its content, its delivery and its event, and hands it over', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const send = buildSend(domain, { to: 'first@sink.test' });
    const accepted = await suite.bus.call(emails.accept, caller, send);
    const id = send.recipients[0]!.id;
    expect(accepted.emails).toEqual([
      { id, to: 'first@sink.test', from: `hello@${domain}`, contactId: null },
    ]);
    await suite.sink.waitFor((messages) => messages.some(({ to }) => to === 'first@sink.test'));
    const email = await eventually(async () => {
      const found = await suite.bus.call(emails.get, caller, { id });
      return found.status === 'DELIVERED' ? found : null;
    }, 'DELIVERED');
    expect(email.events.map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED']);
    const events = await suite.database.query<{ event: string }>(
      `SELECT event_name AS event FROM outbox WHERE project_id = $1 ORDER BY event_name`,
      [projectId],
    );
    expect(events.map(({ event }) => event)).toEqual([
      'sending.email.accepted',
      'sending.email.delivered',
      'sending.email.sent',
    ]);
  });

  it('gathers concurrent accepts, and a row that Postgres refuses fails alone', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const sends = Array.from({ length: 64 }, (_, index) => buildSend(domain, { subject: `number ${index}` }));
    // What the edge lets through, Postgres takes; so this suite's own database learns to refuse a row.
    await suite.database.query(`ALTER TABLE emails ADD CONSTRAINT no_poison CHECK (subject <> 'number 40')`);
    const calls = sends.map((send) => suite.bus.call(emails.accept, caller, send));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(63);
    const bad = outcomes[40] as PromiseRejectedResult;
    expect(bad.reason).toMatchObject({ kind: 'invalid', code: 'validation_error' });
    const [{ count }] = (await suite.database.query<{ count: number }>(
      `SELECT count(*) FROM emails WHERE project_id = $1`,
      [projectId],
    )) as [{ count: number }];
    expect(count).toBe(63);
  });

  it('stores one e-mail for fifty callers with one key', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        suite.bus.call(emails.accept, caller, buildSend(domain, { key: 'once' })),
      ),
    );
    const accepted = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [JSON.stringify(outcome.value)] : [],
    );
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code as string] : [],
    );
    expect(new Set(accepted).size).toBe(1);
    expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? ['conflict'] : []));
    const replay = await suite.bus.call(emails.accept, caller, buildSend(domain, { key: 'once' }));
    expect(JSON.stringify(replay)).toBe(accepted[0]);
    const [row] = await suite.database.query<{ count: number }>(
      `SELECT count(*) FROM emails WHERE project_id = $1`,
      [projectId],
    );
    expect(row!.count).toBe(1);
  });

  it('refuses a finished key with another body', async () => {
    const { caller, domain } = await suite.buildProject();
    await suite.bus.call(emails.accept, caller, buildSend(domain, { key: 'reused' }));
    const other = suite.bus.call(
      emails.accept,
      caller,
      buildSend(domain, { key: 'reused', bodyHash: 'b'.repeat(64) }),
    );
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('refuses a sender that is not verified, and stores nothing', async () => {
    const { caller, projectId } = await suite.buildProject();
    const send = { ...buildSend('elsewhere.example') };
    await expect(suite.bus.call(emails.accept, caller, send)).rejects.toMatchObject({
      details: { errors: [{ path: ['from'], code: 'not_verified' }] },
    });
    expect(
      await suite.database.query(`SELECT 1 FROM emails WHERE project_id = $1`, [projectId]),
    ).toHaveLength(0);
  });

  it('voids a send that was not stored, and answers the receipt of one that was', async () => {
    const { caller, domain } = await suite.buildProject();
    const late = buildSend(domain);
    expect(await suite.bus.call(emails.settle, caller, { recipients: late.recipients })).toEqual({
      outcome: 'VOIDED',
      accepted: null,
    });
    await expect(suite.bus.call(emails.accept, caller, late)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(suite.bus.call(emails.get, caller, { id: late.recipients[0]!.id })).rejects.toMatchObject({
      kind: 'not_found',
    });

    const known = buildSend(domain);
    const accepted = await suite.bus.call(emails.accept, caller, known);
    expect(await suite.bus.call(emails.settle, caller, { recipients: known.recipients })).toEqual({
      outcome: 'ACCEPTED',
      accepted,
    });
  });

  it('has no effect after the deadline', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const past = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const { Bus, BusConnection } = await import('@posthorn/messaging');
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    try {
      await expect(
        new Bus(connection, past).call(emails.accept, caller, buildSend(domain)),
      ).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      await connection.close();
    }
    expect(
      await suite.database.query(`SELECT 1 FROM emails WHERE project_id = $1`, [projectId]),
    ).toHaveLength(0);
  });
});

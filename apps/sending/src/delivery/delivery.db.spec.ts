import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, suppressions, type Caller, type EmailWithEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { UsageRepository } from '../allowances/usage.repository.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { LeasesRepository } from './claiming/leases.repository.js';
import { OutcomesRepository } from './outcomes/outcomes.repository.js';
import { failure } from './outcomes/outcome.js';

describe('delivering mail', () => {
  let suite: SendingSuite;
  beforeAll(async () => {
    suite = await startSendingSuite({ AMBIGUOUS_SECONDS: '1', LEASE_SECONDS: '4' });
  });
  afterAll(() => suite.stop());

  const send = async (caller: Caller, domain: string, to: string): Promise<string> => {
    const { emails: accepted } = await suite.bus.call(emails.accept, caller, buildSend(domain, { to }));
    return accepted[0]!.id;
  };
  const settled = (caller: Caller, id: string, ...statuses: string[]): Promise<EmailWithEvents> =>
    eventually(async () => {
      const email = await suite.bus.call(emails.get, caller, { id });
      return statuses.includes(email.status) ? email : null;
    }, statuses.join(' or '));
  const copies = (to: string) => suite.sink.messages.filter((message) => message.to === to);
  const suppressed = async (projectId: string, email: string) =>
    (
      await suite.database.query(`SELECT 1 FROM suppressions WHERE project_id = $1 AND email = $2`, [
        projectId,
        email,
      ])
    ).length > 0;
  const sourcesOf = async (emailId: string): Promise<Record<string, string>> => {
    const rows = await suite.database.query<{ event: string; source: string }>(
      `SELECT event_name AS event, item->>'sourceType' AS source FROM outbox, jsonb_array_elements(items) AS item WHERE item->>'emailId' = $1`,
      [emailId],
    );
    return Object.fromEntries(rows.map(({ event, source }) => [event, source]));
  };
  /** Time passes, for what waits. */
  const makeDue = (projectId: string) =>
    suite.database.query(`UPDATE deliveries SET due_at = now() WHERE project_id = $1 AND state = 'QUEUED'`, [
      projectId,
    ]);

  it('retries after 450 as scheduled, and delivers one copy (G6)', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const to = `refuse-450-times-3@${domain}`;
    const id = await send(caller, domain, to);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await eventually(async () => {
        const [row] = await suite.database.query<{ attempts: number; wait: number }>(
          `SELECT attempts, extract(epoch FROM due_at - now())::float8 AS wait FROM deliveries WHERE email_id = $1 AND state = 'QUEUED'`,
          [id],
        );
        if (row?.attempts !== attempt) return null;
        const nominal = 30 * 2 ** (attempt - 1);
        expect(row.wait).toBeGreaterThan(nominal * 0.65);
        expect(row.wait).toBeLessThan(nominal * 1.25);
        return row;
      }, `attempt ${attempt}`);
      await makeDue(projectId);
    }
    const email = await settled(caller, id, 'DELIVERED');
    expect(email.events.map(({ status }) => status)).toEqual([
      'PENDING',
      'PENDING',
      'PENDING',
      'PENDING',
      'DELIVERED',
    ]);
    expect(email.events[1]!.detail).toMatch(/^rcpt: 450/);
    expect(copies(to)).toHaveLength(1);
  });

  it.each([
    ['rcpt-550-5.1.1', true],
    ['rcpt-550', true],
    ['rcpt-550-5.7.1', false],
    ['data-554', false],
    ['dot-554-5.7.1', false],
  ])('bounces %s at once; suppresses: %s', async (local, suppresses) => {
    const { caller, domain, projectId } = await suite.buildProject();
    const to = `${local}@${domain}`;
    const email = await settled(caller, await send(caller, domain, to), 'BOUNCED');
    expect(email).toMatchObject({
      failureKind: 'hard_bounce',
      events: [{ status: 'PENDING' }, { status: 'BOUNCED' }],
    });
    expect(await suppressed(projectId, to)).toBe(suppresses);
    const events = await suite.database.query<{ event: string; items: object[] }>(
      `SELECT event_name AS event, items FROM outbox WHERE project_id = $1`,
      [projectId],
    );
    expect(events.find(({ event }) => event === 'sending.email.bounced')?.items).toMatchObject([
      { bounceType: 'Permanent', to, diagnostic: expect.stringMatching(/^5\d\d /) },
    ]);
  });

  it('sends a message with an ambiguous outcome again with the same bytes (G4)', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `drop-after-accept@${domain}`;
    const id = await send(caller, domain, to);
    await eventually(async () => copies(to).length >= 2, 'a second copy');
    const [first, second] = copies(to);
    expect(second!.messageId).toBe(first!.messageId);
    expect(second!.raw!.equals(first!.raw!)).toBe(true);
    const email = await suite.bus.call(emails.get, caller, { id });
    expect(email.events.map(({ status }) => status)).toContain('SENDING');
    await suite.bus.call(suppressions.put, caller, { email: to });
    await settled(caller, id, 'FAILED');
  });

  it('sends nothing to a suppressed address, and fails visibly', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `blocked@${domain}`;
    await suite.bus.call(suppressions.put, caller, { email: to });
    const email = await settled(caller, await send(caller, domain, to), 'FAILED');
    expect(email.failureKind).toBe('suppressed');
    expect(copies(to)).toHaveLength(0);
  });

  it('holds the mail of a disabled project, and continues when it is enabled', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const states = new ProjectStates(suite.database);
    await states.put([{ id: projectId, disabled: true, seq: 2 }]);
    const to = `held@${domain}`;
    const id = await send(caller, domain, to);
    const other = await suite.buildProject();
    await settled(other.caller, await send(other.caller, other.domain, `after@${domain}`), 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id })).status).toBe('PENDING');
    await states.put([{ id: projectId, disabled: true, seq: 1 }]);
    await states.put([{ id: projectId, disabled: false, seq: 3 }]);
    await makeDue(projectId);
    await settled(caller, id, 'DELIVERED');
  });

  it('stops at the monthly allowance', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await new UsageRepository(suite.database).setLimit(projectId, 'TRANSACTIONAL', 3);
    const ids = await Promise.all(
      Array.from({ length: 5 }, (_, index) => send(caller, domain, `quota-${index}@${domain}`)),
    );
    const ends = await Promise.all(ids.map((id) => settled(caller, id, 'DELIVERED', 'FAILED')));
    expect(ends.filter(({ status }) => status === 'DELIVERED')).toHaveLength(3);
    expect(ends.filter(({ failureKind }) => failureKind === 'quota_exhausted')).toHaveLength(2);
  });

  it('cancels a message before its hand-off, once', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await new ProjectStates(suite.database).put([{ id: projectId, disabled: true, seq: 2 }]);
    const id = await send(caller, domain, `cancelled@${domain}`);
    await suite.database.query(`UPDATE emails SET source_type = 'WORKFLOW' WHERE id = $1`, [id]);
    expect(await suite.bus.call(emails.cancel, caller, { id })).toMatchObject({
      id,
      status: 'CANCELLED',
      failureKind: 'cancelled',
    });
    await expect(suite.bus.call(emails.cancel, caller, { id })).rejects.toMatchObject({ kind: 'conflict' });
    await new ProjectStates(suite.database).put([{ id: projectId, disabled: false, seq: 3 }]);
    await makeDue(projectId);
    const other = await send(caller, domain, `other@${domain}`);
    await settled(caller, other, 'DELIVERED');
    expect(copies(`cancelled@${domain}`)).toHaveLength(0);
    expect(await sourcesOf(id)).toMatchObject({ 'sending.email.cancelled': 'WORKFLOW' });
  });

  it('publishes each event with the source of its e-mail', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const states = new ProjectStates(suite.database);
    await states.put([{ id: projectId, disabled: true, seq: 2 }]);
    const id = await send(caller, domain, `campaign@${domain}`);
    await suite.database.query(`UPDATE emails SET source_type = 'CAMPAIGN' WHERE id = $1`, [id]);
    await states.put([{ id: projectId, disabled: false, seq: 3 }]);
    await makeDue(projectId);
    await settled(caller, id, 'DELIVERED');
    expect(await sourcesOf(id)).toMatchObject({
      'sending.email.sent': 'CAMPAIGN',
      'sending.email.delivered': 'CAMPAIGN',
    });
  });

  it('takes back messages of a dead worker: claimed ones are queued, those in hand-off are ambiguous, and an old token writes nothing', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const states = new ProjectStates(suite.database);
    await states.put([{ id: projectId, disabled: true, seq: 2 }]);
    const [claimed, handed] = [
      await send(caller, domain, `claimed@${domain}`),
      await send(caller, domain, `handed@${domain}`),
    ];
    const dead = newId();
    await new LeasesRepository(suite.database).begin(dead, 1);
    await suite.database.query(
      `UPDATE deliveries SET state = CASE email_id WHEN $2 THEN 'CLAIMED' ELSE 'HANDOFF' END, worker_id = $3, lease_token = 7, due_at = now() WHERE project_id = $1`,
      [projectId, claimed, dead],
    );
    await states.put([{ id: projectId, disabled: false, seq: 3 }]);
    await settled(caller, claimed, 'DELIVERED');
    // In doubt first, then sent again, because nobody told of it.
    await settled(caller, handed, 'DELIVERED');
    const late = {
      projectId,
      emailId: claimed,
      position: 0,
      leaseToken: 7,
      recipient: `claimed@${domain}`,
      trace: null,
      subject: null,
      outcome: failure('provider_rejected', null),
    };
    expect(await new OutcomesRepository(suite.database).record([late])).toBe(0);
  });

  it('builds a valid message: CRLF, one of each header, text beside HTML (G21)', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `wire@${domain}`;
    const body = '<p>Zeile\nmit\r\nallem\r.\n.\n</p>';
    await suite.bus.call(emails.accept, caller, {
      ...buildSend(domain, { to, body, subject: 'Grüße 🎉' }),
      headers: { 'X-Campaign': 'one' },
    });
    await suite.sink.waitFor((messages) => messages.some((message) => message.to === to));
    const [message] = copies(to);
    expect(message!.faults).toEqual([]);
    expect(message!.raw!.toString()).toMatch(/multipart\/alternative/);
    expect(message!.raw!.toString()).toMatch(/^X-Campaign: one\r$/m);
    expect(message!.from).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-f]{20}@/);
  });
});

describe('the rate limit', () => {
  it('is kept in every window of a second, and used up', async () => {
    const perSecond = 10;
    const suite = await startSendingSuite({ SENDING_RATE_PER_SECOND: String(perSecond) });
    try {
      const { caller, domain } = await suite.buildProject();
      // The mail server of this process notes an instant late by as much as the process stands still.
      const stalls = monitorEventLoopDelay({ resolution: 2 });
      stalls.enable();
      await Promise.all(
        Array.from({ length: 60 }, () => suite.bus.call(emails.accept, caller, buildSend(domain))),
      );
      await suite.sink.waitFor(60);
      const instants = suite.sink.messages.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
      const window = 1_000 - stalls.max / 1e6;
      const fullest = Math.max(
        ...instants.map(
          (start) => instants.filter((instant) => instant >= start && instant < start + window).length,
        ),
      );
      // After a late answer of the database, the slots of its mark (two at most) lie among others.
      expect(fullest).toBeLessThanOrEqual(perSecond + 2);
      // A busy machine slows down some stretches; a window that is left unused would halve each of two windows.
      const stretch = 2 * perSecond;
      const rates = instants
        .slice(stretch)
        .map((instant, index) => (1_000 * stretch) / (instant - instants[index]!));
      expect(Math.max(...rates)).toBeGreaterThan(perSecond * 0.6);
    } finally {
      await suite.stop();
    }
  });
});

describe('turns between projects', () => {
  it('lets a single mail of one project overtake the backlog of another (G14)', async () => {
    const suite = await startSendingSuite({ SENDING_RATE_PER_SECOND: '100' });
    try {
      await suite.restart({ DELIVERY_PAUSED: 'true' });
      const [many, one] = [await suite.buildProject(), await suite.buildProject()];
      await Promise.all(
        Array.from({ length: 400 }, () => suite.bus.call(emails.accept, many.caller, buildSend(many.domain))),
      );
      const to = `single@${one.domain}`;
      await suite.bus.call(emails.accept, one.caller, buildSend(one.domain, { to }));
      await suite.restart();
      await suite.sink.waitFor((messages) => messages.some((message) => message.to === to));
      expect(suite.sink.messages.length).toBeLessThan(300);
    } finally {
      await suite.stop();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, explanations, suppressions, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { UsageRepository } from '../allowances/usage.repository.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const optOut = (projectId: string, email: string) =>
  suite.database.query(
    `INSERT INTO opt_outs (project_id, email, opted_out, contact_id, seq, since) VALUES ($1, $2, true, $3, 1, now())`,
    [projectId, email, newId()],
  );

describe('the explanation of an address', () => {
  const explain = (caller: Caller, email: string) =>
    suite.bus.call(explanations.recipient, caller, { email });

  it('says which categories are sent, and since when not', async () => {
    const { caller, projectId } = await suite.buildProject();
    const other = await suite.buildProject();
    await suite.bus.call(suppressions.put, caller, { email: 'blocked@sink.test', reason: 'MANUAL' });
    await optOut(projectId, 'gone@sink.test');
    expect(await explain(caller, 'ada@sink.test')).toMatchObject({
      summary: 'Mail of every category is sent to this address.',
      categories: [{ wouldSend: true }, { wouldSend: true }],
    });
    expect(await explain(caller, 'blocked@sink.test')).toMatchObject({
      summary: expect.stringMatching(/^No mail is sent to this address\. The address is suppressed since 20/),
      suppressionReason: 'MANUAL',
      suppressedSince: expect.any(Date),
      unsubscribedSince: null,
      categories: [
        { category: 'TRANSACTIONAL', wouldSend: false, since: expect.any(Date) },
        { category: 'MARKETING', wouldSend: false },
      ],
    });
    expect(await explain(caller, 'gone@sink.test')).toMatchObject({
      summary: expect.stringMatching(
        /^Only transactional mail is sent to this address\. The recipient has unsubscribed/,
      ),
      unsubscribedSince: expect.any(Date),
    });
    expect(await explain(other.caller, 'blocked@sink.test')).toMatchObject({ suppressionReason: null });
  });
});

describe('the explanation of a send', () => {
  it('says what would happen to each recipient, and stores nothing', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    await suite.bus.call(suppressions.put, caller, { email: 'blocked@sink.test', reason: 'MANUAL' });
    const send = { ...buildSend(domain, { to: 'ada@sink.test' }), cc: [{ email: 'blocked@sink.test' }] };
    expect(await suite.bus.call(explanations.send, caller, send)).toMatchObject({
      accepted: true,
      summary: 'The request would be accepted as transactional mail. It would be sent to 1 of 2 recipients.',
      recipients: [
        { email: 'ada@sink.test', wouldSend: true },
        { email: 'blocked@sink.test', wouldSend: false },
      ],
    });
    await new UsageRepository(suite.database).setLimit(projectId, 'TRANSACTIONAL', 0);
    expect((await suite.bus.call(explanations.send, caller, send)).checks).toContainEqual({
      name: 'allowance',
      outcome: 'FAILED',
      detail: 'The allowance of this day or month is used up',
    });
    expect(await suite.database.query(`SELECT 1 FROM emails WHERE project_id = $1`, [projectId])).toEqual([]);
  });

  it('is refused with the errors of a send', async () => {
    const { caller } = await suite.buildProject();
    await expect(
      suite.bus.call(explanations.send, caller, buildSend('elsewhere.example')),
    ).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('the timeline of an e-mail', () => {
  it('names the credential, each attempt and what the server said', async () => {
    const { caller, domain } = await suite.buildProject();
    const key = { ...caller, actor: { kind: 'KEY' as const, id: 'key-17' } };
    const { emails: accepted } = await suite.bus.call(emails.accept, key, buildSend(domain));
    const { id } = accepted[0]!;
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
      'it is delivered',
    );
    const explained = await suite.bus.call(explanations.email, caller, { id });
    expect(explained.timeline).toMatchObject([
      { kind: 'ACCEPTED', title: 'Accepted', detail: 'by an API key (key-17)', source: 'Posthorn' },
      { kind: 'ATTEMPT', title: 'The mail server took it', source: 'Posthorn' },
    ]);
    expect(explained.attempts).toMatchObject([
      {
        provider: 'smtp',
        host: expect.stringContaining('127.0.0.1'),
        stage: 'dot',
        verdict: 'ACCEPTED',
        nextAt: null,
      },
    ]);
    expect(explained.checks.every(({ outcome }) => outcome === 'PASSED')).toBe(true);
    const other = await suite.buildProject();
    await expect(suite.bus.call(explanations.email, other.caller, { id })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, emails, type AcceptSend, type GetVariables, type Caller } from '@posthorn/contracts';
import { eventually, standIn } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let plan = 'free';
let leave: () => Promise<void>;
beforeAll(async () => {
  suite = await startSendingSuite();
  leave = await standIn(
    suite.connection,
    contacts.variables,
    async ({ emails: addresses }: GetVariables) => ({
      contacts: addresses.map((email) => ({
        email,
        id: '019b76da-a800-7000-8000-000000000001',
        customFields: { plan },
      })),
    }),
  );
});
afterAll(async () => {
  await leave();
  await suite.stop();
});

async function accept(caller: Caller, domain: string, more: Partial<AcceptSend>): Promise<string> {
  const send = { ...buildSend(domain), ...more };
  await suite.bus.call(emails.accept, caller, send);
  return send.recipients[0]!.id;
}
const contentOf = (caller: Caller, id: string) => suite.bus.call(emails.content, caller, { id });
const delivered = (caller: Caller, id: string) =>
  eventually(
    async () => (await suite.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
    'it is delivered',
  );

describe('reading the content of a message', () => {
  it('before it is sent does not freeze the contact fields', async () => {
    const { caller, domain } = await suite.buildProject();
    const body = '<p>You are on {{ plan }}, {{ project.name }}</p>';
    const id = await accept(caller, domain, {
      body,
      data: {},
      scheduledAt: new Date(Date.now() + 3_600_000),
    });
    for (plan of ['first', 'second'])
      expect((await contentOf(caller, id)).html).toBe(
        `<p>You are on ${plan}, Analytical &lt;Engines&gt;</p>`,
      );
    plan = 'third';
    await suite.database.query(`UPDATE deliveries SET due_at = now() WHERE email_id = $1`, [id]);
    await delivered(caller, id);
    plan = 'fourth';
    const { html, headers } = await contentOf(caller, id);
    expect(html).toContain('You are on third, Analytical');
    const { raw } = suite.sink.messages.find(({ to }) => to === headers['To'])!;
    expect(raw!.toString()).toContain('You are on third, Analytical');
  });

  it('is possible while it is retained, although its domain was removed', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const id = await accept(caller, domain, { subject: 'Kept', body: '<p>Kept</p>' });
    await delivered(caller, id);
    await suite.database.query(`DELETE FROM domains WHERE project_id = $1`, [projectId]);
    // What it knew of the domain is forgotten.
    await suite.restart();
    expect(await contentOf(caller, id)).toMatchObject({
      subject: 'Kept',
      html: '<p>Kept</p>',
      headers: { From: `hello@${domain}` },
    });
  });
});

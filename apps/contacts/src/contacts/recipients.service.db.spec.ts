import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts, emailEvents, type EmailAccepted } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';

const durable = 'contacts-recipients';

describe('recipients of accepted e-mails', () => {
  let suite: ContactsSuite;
  beforeAll(async () => {
    suite = await startContactsSuite();
  });
  afterAll(() => suite.stop());

  const buildAccepted = (to: string, overrides: Partial<EmailAccepted> = {}): EmailAccepted => ({
    emailId: newId(),
    to,
    from: 'hello@example.test',
    contactId: null,
    at: new Date(),
    sourceType: 'TRANSACTIONAL',
    ...overrides,
  });
  const emailsOf = (projectId: string) =>
    suite.database
      .query<{ email: string }>(`SELECT email FROM contacts WHERE project_id = $1 ORDER BY email`, [
        projectId,
      ])
      .then((rows) => rows.map(({ email }) => email));
  const countOf = (projectId: string, count: number) =>
    eventually(async () => (await emailsOf(projectId)).length >= count, `${count} contacts`);

  it('become unsubscribed contacts, each once, with one event each', async () => {
    const { caller, projectId } = suite.buildProject();
    const known = await suite.bus.call(contacts.create, caller, { email: 'known@example.org' });
    const to = ['b@example.org', 'a@example.org', 'known@example.org', 'b@example.org'];
    await suite.sending.publish(
      emailEvents.accepted,
      projectId,
      to.map((email) => buildAccepted(email)),
    );
    await countOf(projectId, 3);
    expect(await emailsOf(projectId)).toEqual(['a@example.org', 'b@example.org', 'known@example.org']);
    expect(await suite.bus.call(contacts.get, caller, { id: known.id })).toEqual(known);
    const created = await suite.eventsOf(projectId, contactEvents.created);
    expect(created.slice(1).map(({ email, subscribed, seq }) => [email, subscribed, seq])).toEqual([
      ['a@example.org', false, 1],
      ['b@example.org', false, 1],
    ]);
    expect((await suite.bus.call(contacts.list, caller, { withTotal: true, subscribed: false })).total).toBe(
      2,
    );
  });

  it('are left alone if the send has their contact id: they existed, or were deleted since', async () => {
    const { projectId } = suite.buildProject();
    await suite.sending.publish(emailEvents.accepted, projectId, [
      buildAccepted('gone@example.org', { contactId: newId() }),
      buildAccepted('new@example.org'),
    ]);
    await countOf(projectId, 1);
    expect(await emailsOf(projectId)).toEqual(['new@example.org']);
  });

  it('of concurrent events in opposite orders, beside ensures, become one contact each', async () => {
    const { caller, projectId } = suite.buildProject();
    const emails = Array.from({ length: 40 }, (_, index) => `p${index}@example.org`);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const order = index % 2 ? emails : emails.toReversed();
        await suite.sending.publish(
          emailEvents.accepted,
          projectId,
          order.map((email) => buildAccepted(email)),
        );
        await suite.bus.call(contacts.ensure, caller, { emails: order });
      }),
    );
    await suite.sending.taken(durable);
    expect(await emailsOf(projectId)).toHaveLength(40);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(40);
  });

  it('are processed once: a repeated event does not create a deleted contact again', async () => {
    const { caller, projectId } = suite.buildProject();
    await suite.sending.publish(emailEvents.accepted, projectId, [
      buildAccepted('ann@example.org'),
      buildAccepted('ben@example.org'),
    ]);
    await countOf(projectId, 2);
    const { items } = await suite.bus.call(contacts.list, caller, {});
    await suite.bus.call(contacts.delete, caller, {
      id: items.find(({ email }) => email === 'ann@example.org')!.id,
    });
    await suite.sending.repeatAll();
    await suite.sending.taken(durable);
    expect(await emailsOf(projectId)).toEqual(['ben@example.org']);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(2);
  });

  it('of an event that cannot be processed do not block others', async () => {
    const { projectId } = suite.buildProject();
    await suite.database.query(
      `ALTER TABLE contacts ADD CONSTRAINT no_poison CHECK (email <> 'poison@example.org')`,
    );
    await suite.sending.publish(emailEvents.accepted, projectId, [
      buildAccepted('poison@example.org'),
      buildAccepted('beside@example.org'),
    ]);
    for (const index of [1, 2, 3])
      await suite.sending.publish(emailEvents.accepted, projectId, [
        buildAccepted(`good${index}@example.org`),
      ]);
    await countOf(projectId, 3);
    expect(await emailsOf(projectId)).toEqual([
      'good1@example.org',
      'good2@example.org',
      'good3@example.org',
    ]);
    await suite.database.query(`ALTER TABLE contacts DROP CONSTRAINT no_poison`);
    await countOf(projectId, 5);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(5);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, emailEvents, emails, type SendRecipients } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

describe('mail whose acceptance asked for no contact', () => {
  it('names its contact from its first event on, and waits while contacts is away', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await suite.leaveContacts();
    const to = [`ok-${newId()}@sink.test`, `refused-${newId()}@sink.test`];
    const ids = await Promise.all(
      to.map(async (address) => {
        const { emails: accepted } = await suite.bus.call(
          emails.accept,
          caller,
          buildSend(domain, { to: address }),
        );
        return accepted[0]!.id;
      }),
    );
    await eventually(async () => {
      const [row] = await suite.database.query<{ tried: number }>(
        `SELECT min(lease_token)::int AS tried FROM deliveries WHERE project_id = $1`,
        [projectId],
      );
      return row!.tried > 0;
    }, 'a worker has looked and put it off');
    expect(suite.sink.messages.filter((message) => to.includes(message.to))).toEqual([]);
    const known = new Map(to.map((email) => [email, newId()]));
    const asked: SendRecipients[] = [];
    const stop = await standIn(suite.connection, contacts.ensureRecipients, async (requested) => {
      asked.push(requested);
      return { contacts: requested.recipients.map(({ email }) => ({ email, id: known.get(email)! })) };
    });
    const shown = await Promise.all(
      ids.map((id) =>
        eventually(async () => {
          const email = await suite.bus.call(emails.get, caller, { id });
          return email.status === 'PENDING' || email.status === 'SENDING' ? null : email;
        }, 'it has its end'),
      ),
    );
    expect(shown.map(({ contactId }) => contactId)).toEqual([...known.values()]);
    const published = await suite.database.query<{ item: { to: string; contactId: string } }>(
      `SELECT item FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 AND event_name <> $2`,
      [projectId, emailEvents.accepted.name],
    );
    expect(published.length).toBeGreaterThan(1);
    for (const { item } of published) expect(item.contactId).toBe(known.get(item.to));
    expect(
      asked.flatMap(({ recipients }) => recipients).every(({ acceptedAt }) => acceptedAt <= new Date()),
    ).toBe(true);
    await stop();
  });
});

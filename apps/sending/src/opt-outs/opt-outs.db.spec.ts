import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactEvents,
  emails,
  optOuts,
  type Caller,
  type ContactEvent,
  type EmailCategory,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let contacts: EventPublisher;
beforeAll(async () => {
  suite = await startSendingSuite();
  contacts = await EventPublisher.start(suite.connection, 'contacts');
});
afterAll(async () => {
  await contacts.stop();
  await suite.stop();
});

const put = (caller: Caller, ...published: { email: string; contactId?: string; seq?: number }[]) =>
  suite.bus.call(optOuts.put, caller, { optOuts: published });
const optedOut = async (projectId: string, email: string): Promise<boolean | null> => {
  const [row] = await suite.database.query<{ optedOut: boolean }>(
    `SELECT opted_out AS "optedOut" FROM opt_outs WHERE project_id = $1 AND email = $2`,
    [projectId, email],
  );
  return row?.optedOut ?? null;
};
const buildEvent = (email: string, contactId: string, seq: number, subscribed: boolean): ContactEvent => ({
  email,
  contactId,
  seq,
  subscribed,
  at: new Date(),
});
const publish = async (projectId: string, event: ContactEvent) => {
  await contacts.publish(
    event.subscribed ? contactEvents.subscribed : contactEvents.unsubscribed,
    projectId,
    [event],
  );
  for (const name of ['subscribed', 'unsubscribed'])
    await contacts.taken(`sending-opt-outs-contacts-contact-${name}`);
};

describe('an opt-out', () => {
  const email = 'ada@example.org';

  it('is stored once, in batches, and lasts', async () => {
    const { caller, projectId } = await suite.buildProject();
    const all = Array.from({ length: 40 }, (_, index) => ({ email: `reader-${index % 20}@example.org` }));
    await Promise.all(all.map((one) => put(caller, one)));
    expect(await put(caller, ...all)).toEqual({ put: 40 });
    const rows = await suite.database.query(`SELECT 1 FROM opt_outs WHERE project_id = $1 AND opted_out`, [
      projectId,
    ]);
    expect(rows).toHaveLength(20);
  });

  it('is undone by a newer consent of the contact, and not by an older one', async () => {
    const { caller, projectId } = await suite.buildProject();
    const contactId = newId();
    await put(caller, { email, contactId, seq: 5 });
    await publish(projectId, buildEvent(email, contactId, 4, true));
    expect(await optedOut(projectId, email)).toBe(true);
    await publish(projectId, buildEvent(email, contactId, 6, true));
    expect(await optedOut(projectId, email)).toBe(false);
    // The event of the opt-out itself comes late.
    await publish(projectId, buildEvent(email, contactId, 5, false));
    expect(await optedOut(projectId, email)).toBe(false);
    await put(caller, { email, contactId, seq: 7 });
    expect(await optedOut(projectId, email)).toBe(true);
  });

  it('is repaired by its event, and a new contact is newer than the one before', async () => {
    const { projectId } = await suite.buildProject();
    const [before, after] = [newId(), newId()];
    await publish(projectId, buildEvent(email, before, 9, false));
    expect(await optedOut(projectId, email)).toBe(true);
    await publish(projectId, buildEvent(email, after, 2, true));
    expect(await optedOut(projectId, email)).toBe(false);
    await publish(projectId, buildEvent(email, before, 10, false));
    expect(await optedOut(projectId, email)).toBe(false);
  });

  it('of an address without a contact holds', async () => {
    const { caller, projectId } = await suite.buildProject();
    await put(caller, { email });
    expect(await optedOut(projectId, email)).toBe(true);
    await publish(projectId, buildEvent(email, newId(), 2, true));
    expect(await optedOut(projectId, email)).toBe(false);
    await put(caller, { email });
    expect(await optedOut(projectId, email)).toBe(true);
    // That somebody had come back before comes late.
    await publish(projectId, { ...buildEvent(email, newId(), 2, true), at: new Date(Date.now() - 60_000) });
    expect(await optedOut(projectId, email)).toBe(true);
    await publish(projectId, { ...buildEvent(email, newId(), 3, true), at: new Date(Date.now() + 60_000) });
    expect(await optedOut(projectId, email)).toBe(false);
  });
});

describe('mail to somebody who opted out', () => {
  async function sent(caller: Caller, domain: string, to: string, category: EmailCategory): Promise<string> {
    const send = { ...buildSend(domain, { to }), category };
    const { emails: accepted } = await suite.bus.call(emails.accept, caller, send);
    return accepted[0]!.id;
  }

  it('fails visibly where it is marketing, and is sent where it is transactional', async () => {
    const outcomes = await Promise.all(
      (['TRANSACTIONAL', 'MARKETING'] as const).map(async (category) => {
        const { caller, domain } = await suite.buildProject();
        const to = `ok-${newId()}@sink.test`;
        await put(caller, { email: to });
        const id = await sent(caller, domain, to, category);
        return eventually(async () => {
          const { status, failureKind } = await suite.bus.call(emails.get, caller, { id });
          return status === 'PENDING' || status === 'SENDING'
            ? null
            : [status, failureKind, suite.sink.messages.some((message) => message.to === to)];
        }, 'it has its end');
      }),
    );
    expect(outcomes).toEqual([
      ['DELIVERED', null, true],
      ['FAILED', 'unsubscribed', false],
    ]);
  });
});

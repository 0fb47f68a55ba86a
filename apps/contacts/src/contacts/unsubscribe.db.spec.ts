import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts } from '@posthorn/contracts';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';

let suite: ContactsSuite;
beforeAll(async () => {
  suite = await startContactsSuite();
});
afterAll(() => suite.stop());

const reportOf = (projectId: string) =>
  suite.optOuts
    .filter((optOut) => optOut.projectId === projectId)
    .map(({ projectId: _, ...published }) => published);
const email = 'ada@example.org';

describe('unsubscribing', () => {
  it('is stored in sending with the sequence of the change before it commits and is published', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = await suite.bus.call(contacts.create, caller, { email });
    for (const _ of ['first', 'again'])
      expect(await suite.bus.call(contacts.unsubscribe, caller, { email })).toEqual({ email });
    expect(await suite.bus.call(contacts.get, caller, { id: contactId })).toMatchObject({
      subscribed: false,
    });
    expect(reportOf(projectId)).toEqual([
      { email, contactId, seq: 2 },
      { email, contactId, seq: 2 },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.unsubscribed)).toMatchObject([
      { contactId, email, seq: 2 },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.updated)).toEqual([]);
  });

  it('does not create a contact for an unknown address', async () => {
    const { caller, projectId } = suite.buildProject();
    expect(await suite.bus.call(contacts.unsubscribe, caller, { email })).toEqual({ email });
    expect(reportOf(projectId)).toEqual([{ email }]);
    expect((await suite.bus.call(contacts.list, caller, {})).items).toEqual([]);
  });

  it('in other ways is stored in sending first, too; subscribing again is not', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email, subscribed: false });
    const change = (subscribed: boolean) =>
      suite.bus.call(contacts.update, caller, { id, subscribed, customFieldsMode: 'MERGE' });
    await change(true);
    await change(false);
    await suite.bus.call(contacts.upsert, caller, { email, subscribed: true });
    await suite.bus.call(contacts.upsert, caller, { email, subscribed: false });
    await suite.bus.call(contacts.upsert, caller, { email: 'new@example.org', subscribed: false });
    expect(reportOf(projectId)).toMatchObject([
      { seq: 1 },
      { seq: 3 },
      { seq: 5 },
      { email: 'new@example.org', seq: 1 },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.subscribed)).toMatchObject([{ seq: 2 }, { seq: 4 }]);
  });

  // The last test, because sending stays away.
  it('changes nothing if sending does not answer', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email });
    await suite.loseSending();
    await expect(suite.bus.call(contacts.unsubscribe, caller, { email })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await expect(
      suite.bus.call(contacts.upsert, caller, { email: 'x@example.org', subscribed: false }),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect((await suite.bus.call(contacts.list, caller, {})).items).toMatchObject([{ id, subscribed: true }]);
    expect(await suite.eventsOf(projectId, contactEvents.unsubscribed)).toEqual([]);
  });
});

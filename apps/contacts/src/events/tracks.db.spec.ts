import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contacts, events, type Caller, type TrackedEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { watchMarks } from '../testing/segment-marks.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const rows = <Row>(projectId: string, table: string) =>
  suite.database.query<Row>(`SELECT * FROM ${table} WHERE project_id = $1`, [projectId]);
const track = (caller: Caller, email: string, data?: Record<string, unknown>): Promise<TrackedEvent> =>
  suite.bus.call(events.track, caller, { event: 'paid', email, data });

describe('events that change their contacts', () => {
  let turn = 0;
  // The batch before decides how the next one begins.
  beforeEach(() => track(suite.buildProject().caller, 'other@example.org', { turn: (turn += 1) }));

  it('are recorded with their own contact, whatever happens to the others', async () => {
    const { caller, projectId } = suite.buildProject();
    const email = (index: number) => `p${index % 20}@example.org`;
    const full = { email: 'full@example.org', customFields: { full: 'x'.repeat(60_000) } };
    await suite.bus.call(contacts.create, caller, full);
    const still = await suite.bus.call(contacts.create, caller, {
      email: 'still@example.org',
      customFields: { plan: 'pro' },
    });
    const requests = Array.from({ length: 60 }, (_, index) => ({
      address: email(index),
      answer: track(caller, email(index), { index }),
    }));
    const large = track(caller, full.email, { more: 'y'.repeat(10_000) });
    const same = track(caller, still.email, { plan: 'pro' });
    const byId = suite.bus.call(events.record, caller, { name: 'seen', contactId: still.id });
    const anonymous = suite.bus.call(events.record, caller, { name: 'seen', contactId: newId() });
    const refused = await Promise.allSettled([large, anonymous]);
    expect(refused).toMatchObject([{ reason: { kind: 'invalid' } }, { reason: { kind: 'invalid' } }]);
    const published = await Promise.all(
      requests.map(async ({ address, answer }) => ({ address, ...(await answer) })),
    );
    expect([(await same).contact, (await byId).contactId]).toEqual([still.id, still.id]);
    const stored = new Map(
      (await rows<{ id: string; email: string }>(projectId, 'contacts')).map(({ id, email: address }) => [
        id,
        address,
      ]),
    );
    expect(published.map(({ contact }) => stored.get(contact))).toEqual(
      published.map(({ address }) => address),
    );
    const recorded = await rows<{ id: string; contact_id: string; payload: { index?: number } }>(
      projectId,
      'events',
    );
    const positions = new Map(
      recorded.map(({ id, contact_id: contactId, payload }) => [id, { contactId, index: payload.index }]),
    );
    expect(published.map(({ event }) => positions.get(event))).toEqual(
      published.map(({ contact }, index) => ({ contactId: contact, index })),
    );
    expect(recorded).toHaveLength(62);
    expect((await suite.bus.call(contacts.get, caller, { id: still.id })).updatedAt).toEqual(still.updatedAt);
  });

  it('mark the contact and update its summary and counts', async () => {
    const { caller, projectId } = suite.buildProject();
    const marks = await watchMarks(suite.database, projectId);
    const first = await track(caller, 'ann@example.org', { seats: 1 });
    const second = await track(caller, 'ann@example.org', { seats: 2 });
    expect(second.contact).toBe(first.contact);
    expect(await rows(projectId, 'event_summaries')).toMatchObject([
      { contact_id: first.contact, name: 'paid', count: 2 },
    ]);
    expect(await marks()).toContain(first.contact);
    expect((await suite.bus.call(events.names, caller, {})).data).toEqual(['paid']);
  });

  it('create nothing past their deadline', async () => {
    const { caller, projectId } = suite.buildProject();
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const late = new Bus(connection, clock, undefined, 20_000);
    const request = late.call(events.track, caller, {
      event: 'late',
      email: 'new@example.org',
      data: { a: 1 },
    });
    await expect(request).rejects.toMatchObject({ kind: 'unavailable' });
    await connection.close();
    for (const table of ['events', 'contacts', 'event_summaries', 'outbox'])
      expect(await rows(projectId, table)).toEqual([]);
  });

  it.each([
    ['nothing is said of', undefined],
    ['what is said is so already', { plan: 'pro' }],
  ])('do not wait for the lock of a contact of whom %s', async (_, data) => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, {
      email: 'ann@example.org',
      customFields: { plan: 'pro' },
    });
    const tracked = await suite.database.transaction(async () => {
      await suite.database.query(`SELECT 1 FROM contacts WHERE project_id = $1 FOR NO KEY UPDATE`, [
        projectId,
      ]);
      return suite.database.apart(() => track(caller, 'ann@example.org', data));
    });
    expect(tracked.contact).toBe(id);
  });
});

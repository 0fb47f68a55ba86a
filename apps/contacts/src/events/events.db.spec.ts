import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  consents,
  contactEvents,
  contacts,
  events,
  type Caller,
  type CustomEvent,
  type RecordEvent,
} from '@posthorn/contracts';
import { lowestIdOf, newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { eventually, lockWaiters } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { EventsRepository } from './events.repository.js';
import { watchMarks } from '../testing/segment-marks.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
const dayMs = 86_400_000;
const record = (caller: Caller, body: Partial<RecordEvent>): Promise<CustomEvent> =>
  suite.bus.call(events.record, caller, { name: 'signup', ...body });
const rows = (projectId: string, table: string) =>
  suite.database.query(`SELECT * FROM ${table} WHERE project_id = $1`, [projectId]);
const claim = (key: string, bodyHash = 'a'.repeat(64)) => ({
  key,
  operation: 'POST /api/v1/events',
  bodyHash,
});

describe('an event', () => {
  it('is recorded by a process whose clock is a day late, on a new installation', async () => {
    const { caller, projectId } = suite.buildProject();
    const { contactId } = await record(caller, { email });
    const early = { projectId, id: lowestIdOf(Date.now() - 8 * dayMs), contactId, name: 'late', payload: {} };
    const recorded = await new EventsRepository(suite.database).insert([
      { ...early, occurredAt: null, deadline: null },
    ]);
    expect([...recorded.keys()]).toEqual([early.id]);
  });

  it('is recorded for a contact by id, or by an address that becomes one', async () => {
    const { caller, projectId } = suite.buildProject();
    const marks = await watchMarks(suite.database, projectId);
    const first = await record(caller, { email, payload: { plan: 'pro', nested: { a: [null] } } });
    expect(first).toMatchObject({
      name: 'signup',
      emailId: null,
      payload: { plan: 'pro', nested: { a: [null] } },
    });
    expect(await suite.bus.call(contacts.get, caller, { id: first.contactId })).toMatchObject({
      email,
      subscribed: true,
      customFields: {},
    });
    const second = await record(caller, { contactId: first.contactId });
    expect(second).toMatchObject({ contactId: first.contactId, payload: {} });
    const published = { contactId: first.contactId, name: 'signup', emailId: null };
    expect(await suite.eventsOf(projectId, contactEvents.eventRecorded)).toEqual([
      { ...published, eventId: first.id, at: first.createdAt.toISOString() },
      { ...published, eventId: second.id, at: second.createdAt.toISOString() },
    ]);
    expect(await rows(projectId, 'event_summaries')).toMatchObject([
      { contact_id: first.contactId, name: 'signup', count: 2 },
    ]);
    expect(await marks()).toContain(first.contactId);
  });

  it('is refused if its name, contact or time is invalid', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, suite.buildProject().caller, { email });
    const wrong: [Partial<RecordEvent>, string][] = [
      ...['email.open', 'contact.subscribed', 'Segment.x.entry'].map(
        (name): [Partial<RecordEvent>, string] => [{ email, name }, 'name'],
      ),
      [{}, 'contactId'],
      [{ email, contactId: id }, 'contactId'],
      [{ contactId: id }, 'contactId'],
      [{ contactId: newId() }, 'contactId'],
      [{ email, occurredAt: new Date(Date.now() - 31 * dayMs) }, 'occurredAt'],
      [{ email, occurredAt: new Date(Date.now() + dayMs) }, 'occurredAt'],
    ];
    for (const [body, member] of wrong) {
      await expect(record(caller, body)).rejects.toMatchObject({
        kind: 'invalid',
        details: { errors: [{ path: [member] }] },
      });
    }
    await expect(suite.bus.call(events.track, caller, { event: 'email.sent', email })).rejects.toMatchObject({
      details: { errors: [{ path: ['event'], code: 'not_allowed' }] },
    });
    for (const table of ['events', 'contacts', 'outbox']) expect(await rows(projectId, table)).toEqual([]);
  });

  it('that occurred earlier updates first and last times and counts on its day', async () => {
    const { caller, projectId } = suite.buildProject();
    const at = new Date(Date.now() - 10 * dayMs);
    const { contactId } = await record(caller, { email, occurredAt: new Date(Date.now() - dayMs) });
    await record(caller, { contactId, occurredAt: at });
    await record(caller, { contactId, occurredAt: new Date(Date.now() - 5 * dayMs) });
    const [summary] = await suite.database.query<{ first_at: Date; last_at: Date }>(
      `SELECT first_at, last_at FROM event_summaries WHERE project_id = $1`,
      [projectId],
    );
    expect(summary!.first_at).toEqual(at);
    expect(summary!.last_at.getTime()).toBeGreaterThan(Date.now() - 2 * dayMs);
    const { data } = await suite.bus.call(events.stats, caller, {
      from: new Date(Date.now() - 11 * dayMs),
      to: new Date(),
    });
    expect(data).toMatchObject([{ name: 'signup', date: at.toISOString().slice(0, 10), count: 1 }, {}, {}]);
  });

  it('is recorded once for an idempotency key; another body or a concurrent use is refused', async () => {
    const { caller, projectId } = suite.buildProject();
    const first = await record(caller, { email, payload: { n: 1 }, idempotency: claim('k') });
    expect(await record(caller, { email, payload: { n: 1 }, idempotency: claim('k') })).toEqual(first);
    await expect(record(caller, { email, idempotency: claim('k', 'b'.repeat(64)) })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    const track = () =>
      suite.bus.call(events.track, caller, {
        event: 'paid',
        email,
        idempotency: { ...claim('t'), operation: 'POST /api/track' },
      });
    const many = await Promise.allSettled(Array.from({ length: 20 }, track));
    const done = many.flatMap((each) => (each.status === 'fulfilled' ? [each.value.event] : []));
    expect(new Set(done).size).toBe(1);
    expect(await rows(projectId, 'events')).toHaveLength(2);
    await expect(record(caller, { contactId: newId(), idempotency: claim('none') })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(await rows(projectId, 'idempotency_keys')).toHaveLength(2);
  });

  it('has no effect past its deadline', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email });
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const late = new Bus(connection, clock, undefined, 20_000);
    for (const body of [
      { contactId: id },
      { email },
      { email: 'new@example.org' },
      { email, idempotency: claim('k') },
    ]) {
      await expect(late.call(events.record, caller, { name: 'late', ...body })).rejects.toMatchObject({
        kind: 'unavailable',
      });
    }
    await connection.close();
    for (const table of ['events', 'idempotency_keys', 'event_summaries'])
      expect(await rows(projectId, table)).toEqual([]);
  });
});

describe('tracking', () => {
  it('creates and changes the contact by the scalar values of the data, and stores opt-outs in sending first', async () => {
    const { caller, projectId } = suite.buildProject();
    const track = (body: object) => suite.bus.call(events.track, caller, { event: 'paid', email, ...body });
    const first = await track({
      data: { plan: 'pro', seats: 3, trial: false, none: null, list: [1], deep: { a: 1 } },
    });
    const contact = await suite.bus.call(contacts.get, caller, { id: first.contact });
    expect(contact).toMatchObject({
      email,
      subscribed: true,
      customFields: { plan: 'pro', seats: 3, trial: false },
    });
    expect(Object.keys(contact.customFields)).toHaveLength(3);
    const [event] = (await suite.bus.call(events.list, caller, {})).items;
    expect(event).toMatchObject({
      id: first.event,
      payload: { none: null, list: [1], deep: { a: 1 } },
      createdAt: first.timestamp,
    });
    await track({ data: { plan: 'pro' } });
    expect((await suite.bus.call(contacts.get, caller, { id: first.contact })).updatedAt).toEqual(
      contact.updatedAt,
    );
    await track({ subscribed: false });
    expect(suite.optOuts.filter((published) => published.projectId === projectId)).toEqual([
      { projectId, email, contactId: first.contact, seq: 2 },
    ]);
    const { items } = await suite.bus.call(consents.list, caller, { id: first.contact });
    expect(items).toMatchObject([
      { source: 'TRACK', before: true, after: false },
      { source: 'TRACK', before: null },
    ]);
    await suite.bus.call(contacts.update, caller, {
      id: first.contact,
      customFields: { big: 'x'.repeat(40_000) },
      customFieldsMode: 'MERGE',
    });
    await expect(track({ data: { more: 'y'.repeat(40_000) } })).rejects.toMatchObject({ kind: 'invalid' });
    expect(await rows(projectId, 'events')).toHaveLength(3);
  });

  it('creates a contact again that is deleted concurrently', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email });
    const tracked = await suite.database.transaction(async () => {
      await suite.database.query(`LOCK TABLE events IN ACCESS EXCLUSIVE MODE`);
      // In an array, because a returned promise would be awaited before the commit.
      const call = [
        suite.bus.call(events.track, caller, { event: 'paid', email }, { timeoutMs: 20_000 }),
      ] as const;
      await eventually(
        async () => (await lockWaiters(suite.database, { relation: 'events' })).length > 0,
        'the contact was seen, and its event waits',
      );
      await suite.database.query(`DELETE FROM contacts WHERE project_id = $1`, [projectId]);
      return call;
    });
    const { contact, event } = await tracked[0];
    expect(contact).not.toBe(id);
    expect(await rows(projectId, 'events')).toMatchObject([{ id: event, contact_id: contact, name: 'paid' }]);
    expect((await suite.bus.call(contacts.list, caller, {})).items).toMatchObject([{ id: contact, email }]);
    await expect(record(caller, { contactId: id })).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('of many at once equals a recount, and a refused event fails alone', async () => {
    const { caller, projectId } = suite.buildProject();
    const calls = Array.from({ length: 300 }, (_, index) =>
      suite.bus.call(events.track, caller, {
        event: `e${index % 3}`,
        email: `p${(index * 7) % 40}@example.org`,
        data: { turn: index % 5, note: index === 150 ? '\u0000' : 'fine' },
      }),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([150]);
    const differences = await suite.database.query(
      `SELECT * FROM (SELECT contact_id, name, count(*) AS count, min(occurred_at) AS first_at, max(occurred_at) AS last_at
         FROM events WHERE project_id = $1 GROUP BY 1, 2) AS recounted
       FULL JOIN (SELECT contact_id, name, count, first_at, last_at FROM event_summaries WHERE project_id = $1) AS kept
         USING (contact_id, name, count, first_at, last_at) WHERE recounted IS NULL OR kept IS NULL`,
      [projectId],
    );
    expect(differences).toEqual([]);
    expect(await suite.eventsOf(projectId, contactEvents.eventRecorded)).toHaveLength(299);
    expect(
      (
        await suite.database.query(
          `SELECT 1 FROM outbox WHERE project_id = $1 AND event_name = 'contacts.event.recorded'`,
          [projectId],
        )
      ).length,
    ).toBeLessThan(100);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(40);
    const days = async () =>
      (await suite.bus.call(events.stats, caller, { from: new Date(Date.now() - dayMs), to: new Date() }))
        .data;
    const counted = await days();
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(299);
    await eventually(
      async () => (await rows(projectId, 'event_count_deltas')).length === 0,
      'the counts are folded',
    );
    expect(await days()).toEqual(counted);
  });
});

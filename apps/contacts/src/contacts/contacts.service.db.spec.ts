import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts, type Contact } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';

describe('contacts', () => {
  let suite: ContactsSuite;
  beforeAll(async () => {
    suite = await startContactsSuite();
  });
  afterAll(() => suite.stop());

  const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error);

  it('are changed once by a step of a workflow that is repeated, whatever the person did meanwhile', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email: 'leaves@example.org' });
    const effect = { id: newId(), executionId: newId() };
    const step = () =>
      suite.bus.call(contacts.update, caller, {
        id,
        subscribed: true,
        customFields: { gift: true },
        customFieldsMode: 'MERGE',
        effect,
      });
    await suite.bus.call(contacts.update, caller, { id, subscribed: false, customFieldsMode: 'MERGE' });
    expect(await step()).toMatchObject({ subscribed: true });
    await suite.bus.call(contacts.update, caller, {
      id,
      subscribed: false,
      customFields: { gift: null },
      customFieldsMode: 'MERGE',
    });
    expect(await step()).toMatchObject({ subscribed: false, customFields: {} });
    const back = await suite.eventsOf(projectId, contactEvents.subscribed);
    expect(back).toMatchObject([{ contactId: id, causedBy: effect.executionId }]);
    const other = { id: newId(), executionId: newId() };
    const next = { id, subscribed: true, customFieldsMode: 'MERGE' as const, effect: other };
    expect(await suite.bus.call(contacts.update, caller, next)).toMatchObject({ subscribed: true });
  });

  it('are created, subscribed by default, and publish an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const customFields = { plan: 'pro', nothing: null, deep: { list: [1, null] } };
    const made = await suite.bus.call(contacts.create, caller, { email: ' Ann@Example.ORG ', customFields });
    expect(made).toMatchObject({
      projectId,
      email: 'ann@example.org',
      subscribed: true,
      customFields: { plan: 'pro', deep: { list: [1, null] } },
    });
    expect(made.updatedAt).toEqual(made.createdAt);
    expect(await suite.bus.call(contacts.get, caller, { id: made.id })).toEqual(made);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toEqual([
      {
        contactId: made.id,
        email: 'ann@example.org',
        subscribed: true,
        at: made.createdAt.toISOString(),
        seq: 1,
        source: 'API',
      },
    ]);
    expect(
      await suite.bus.call(contacts.create, caller, { email: 'b@example.org', subscribed: false }),
    ).toMatchObject({
      subscribed: false,
      customFields: {},
    });
  });

  it('are a conflict if the address exists, and the first contact stays', async () => {
    const { caller, projectId } = suite.buildProject();
    const first = await suite.bus.call(contacts.create, caller, { email: 'ann@example.org' });
    const again = suite.bus.call(contacts.create, caller, {
      email: 'ANN@example.org',
      customFields: { plan: 'free' },
    });
    await expect(again).rejects.toMatchObject({ kind: 'conflict', code: 'conflict' });
    expect(await suite.bus.call(contacts.get, caller, { id: first.id })).toEqual(first);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
    await suite.bus.call(contacts.create, suite.buildProject().caller, { email: 'ann@example.org' });
  });

  it('upsert: merges the fields, keeps the subscription and publishes the kind of change', async () => {
    const { caller, projectId } = suite.buildProject();
    const upsert = (body: object) =>
      suite.bus.call(contacts.upsert, caller, { email: 'ann@example.org', ...body });
    const made = await upsert({ customFields: { a: 1, b: 2 } });
    expect(made).toMatchObject({ subscribed: true });
    expect(await upsert({ subscribed: false })).toMatchObject({
      id: made.id,
      subscribed: false,
      customFields: { a: 1, b: 2 },
    });
    const merged = await upsert({ customFields: { a: null, c: 3 } });
    expect(merged).toMatchObject({ id: made.id, subscribed: false, customFields: { b: 2, c: 3 } });
    expect(await upsert({ customFields: { c: 3 } })).toEqual(merged);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toMatchObject([
      { seq: 1, subscribed: true },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.unsubscribed)).toMatchObject([
      { contactId: made.id, seq: 2, subscribed: false },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.updated)).toMatchObject([
      { seq: 3, at: merged.updatedAt.toISOString() },
    ]);
  });

  it('update: merges or replaces fields, removes them by null, and publishes a change of the subscription as such', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, {
      email: 'ann@example.org',
      customFields: { a: 1, b: 2 },
    });
    const update = (body: object) =>
      suite.bus.call(contacts.update, caller, { id, customFieldsMode: 'MERGE', ...body });
    expect((await update({ customFields: { a: null, c: 3 } })).customFields).toEqual({ b: 2, c: 3 });
    expect(
      (await update({ customFields: { d: 4, e: null }, customFieldsMode: 'REPLACE' })).customFields,
    ).toEqual({ d: 4 });
    expect(await update({ subscribed: false, customFields: { d: 5 } })).toMatchObject({
      subscribed: false,
      customFields: { d: 5 },
    });
    const last = await update({ subscribed: true });
    expect(last.updatedAt.getTime()).toBeGreaterThanOrEqual(last.createdAt.getTime());
    expect(await suite.eventsOf(projectId, contactEvents.updated)).toMatchObject([{ seq: 2 }, { seq: 3 }]);
    expect(await suite.eventsOf(projectId, contactEvents.unsubscribed)).toMatchObject([
      { contactId: id, seq: 4 },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.subscribed)).toMatchObject([
      { contactId: id, seq: 5 },
    ]);
  });

  it('update: an empty patch changes and publishes nothing', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await suite.bus.call(contacts.create, caller, {
      email: 'ann@example.org',
      customFields: { a: 1 },
    });
    for (const customFieldsMode of ['MERGE', 'REPLACE'] as const) {
      expect(await suite.bus.call(contacts.update, caller, { id: made.id, customFieldsMode })).toEqual(made);
      expect(
        await suite.bus.call(contacts.update, caller, {
          id: made.id,
          customFieldsMode,
          subscribed: true,
          customFields: { a: 1 },
        }),
      ).toEqual(made);
    }
    expect(
      await suite.database.query(`SELECT event_name AS event FROM outbox WHERE project_id = $1`, [projectId]),
    ).toEqual([{ event: contactEvents.created.name }]);
  });

  it('update: refuses fields that are too large together, and keeps the old ones', async () => {
    const { caller } = suite.buildProject();
    const made = await suite.bus.call(contacts.create, caller, {
      email: 'ann@example.org',
      customFields: { a: 'x'.repeat(40_000) },
    });
    const grown = suite.bus.call(contacts.update, caller, {
      id: made.id,
      customFieldsMode: 'MERGE',
      customFields: { b: 'y'.repeat(40_000) },
    });
    await expect(grown).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ path: ['customFields'], code: 'too_long' }] },
    });
    expect(await suite.bus.call(contacts.get, caller, { id: made.id })).toEqual(made);
  });

  it('delete: removes the contact and publishes an event; the address can become another contact', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(contacts.create, caller, { email: 'ann@example.org' });
    expect(await suite.bus.call(contacts.delete, caller, { id })).toEqual({ id });
    expect(await suite.eventsOf(projectId, contactEvents.deleted)).toEqual([
      { contactId: id, at: expect.any(String) },
    ]);
    await expect(suite.bus.call(contacts.delete, caller, { id })).rejects.toMatchObject({
      kind: 'not_found',
    });
    const again = await suite.bus.call(contacts.upsert, caller, { email: 'ann@example.org' });
    expect(again.id).not.toBe(id);
  });

  it('a contact of another project is not found', async () => {
    const [mine, theirs] = [suite.buildProject(), suite.buildProject()];
    const { id } = await suite.bus.call(contacts.create, theirs.caller, { email: 'ann@example.org' });
    const before = await suite.bus.call(contacts.get, theirs.caller, { id });
    for (const request of [
      (requested: string) => suite.bus.call(contacts.get, mine.caller, { id: requested }),
      (requested: string) =>
        suite.bus.call(contacts.update, mine.caller, {
          id: requested,
          customFieldsMode: 'MERGE',
          subscribed: false,
        }),
      (requested: string) => suite.bus.call(contacts.delete, mine.caller, { id: requested }),
    ]) {
      const [foreign, random] = [await outcome(request(id)), await outcome(request(newId()))];
      expect(foreign).toMatchObject({ kind: 'not_found', code: 'resource_not_found' });
      expect(JSON.stringify(foreign)).toBe(JSON.stringify(random));
    }
    expect(await suite.bus.call(contacts.get, theirs.caller, { id })).toEqual(before);
    expect((await suite.bus.call(contacts.list, mine.caller, { withTotal: true })).total).toBe(0);
    expect(
      await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [mine.projectId]),
    ).toHaveLength(0);
  });

  it('fifty concurrent requests with one new address create one contact and one event', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        suite.bus.call(contacts.upsert, caller, {
          email: 'ann@example.org',
          customFields: { [`f${index}`]: index },
        }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
    const updates = await suite.eventsOf(projectId, contactEvents.updated);
    // Concurrent requests are one change.
    expect(updates.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(updates.map((_, index) => index + 2));
    const after = await suite.bus.call(contacts.get, caller, { id: made[0]!.id });
    expect(Object.keys(after.customFields)).toHaveLength(50);
    expect(await suite.database.query(`SELECT seq FROM contacts WHERE project_id = $1`, [projectId])).toEqual(
      [{ seq: updates.length + 1 }],
    );

    const created = await Promise.allSettled(
      Array.from({ length: 50 }, () => suite.bus.call(contacts.create, caller, { email: 'ben@example.org' })),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(
      new Set(
        created.flatMap((each) =>
          each.status === 'rejected' ? [(each.reason as { kind: string }).kind] : [],
        ),
      ),
    ).toEqual(new Set(['conflict']));
  });

  it('a value that Postgres refuses is invalid, and nothing is stored', async () => {
    const { caller } = suite.buildProject();
    const poisoned = suite.bus.call(contacts.create, caller, {
      email: 'ann@example.org',
      customFields: { a: '\u0000' },
    });
    await expect(poisoned).rejects.toMatchObject({ kind: 'invalid' });
    expect((await suite.bus.call(contacts.list, caller, { withTotal: true })).total).toBe(0);
  });

  it('a call past its deadline has no effect', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await suite.bus.call(contacts.create, caller, { email: 'ann@example.org' });
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const late = new Bus(connection, clock, undefined, 20_000);
    const outcomes = await Promise.all(
      [
        late.call(contacts.create, caller, { email: 'ben@example.org' }),
        late.call(contacts.upsert, caller, { email: 'ben@example.org' }),
        late.call(contacts.ensure, caller, { emails: ['ben@example.org'] }),
        late.call(contacts.update, caller, { id: made.id, customFieldsMode: 'MERGE', subscribed: false }),
        late.call(contacts.delete, caller, { id: made.id }),
      ].map(outcome),
    );
    await connection.close();
    expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ kind: 'unavailable' })));
    const page = await suite.bus.call(contacts.list, caller, { withTotal: true });
    expect([page.items, page.total]).toEqual([[made] satisfies Contact[], 1]);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
  });
});

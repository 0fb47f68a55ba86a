import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, events, type Caller } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../../testing/contacts-suite.js';

let suite: ContactsSuite;
beforeAll(async () => {
  suite = await startContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
const waiting = { timeoutMs: 20_000 };
const upsert = (caller: Caller, turn: number, address = email) =>
  suite.bus.call(contacts.upsert, caller, { email: address, customFields: { turn } }, waiting);
const record = (caller: Caller) => suite.bus.call(events.record, caller, { name: 'seen', email }, waiting);

async function buildContact(): Promise<Caller> {
  const { caller } = suite.buildProject();
  await record(caller);
  return caller;
}

/** Runs `work` while the contact of a project and its summaries are locked. */
function whileHeld<T>({ projectId }: Caller, work: () => Promise<T>): Promise<T> {
  return suite.database.transaction(async () => {
    await suite.database.query(`SELECT 1 FROM contacts WHERE project_id = $1 FOR UPDATE`, [projectId]);
    await suite.database.query(`SELECT 1 FROM event_summaries WHERE project_id = $1 FOR UPDATE`, [projectId]);
    return suite.database.apart(work);
  });
}

describe.each([
  ['a write of a contact', (caller: Caller) => upsert(caller, 1) as Promise<object>],
  ['an event', record as (caller: Caller) => Promise<object>],
])('%s', (_, request) => {
  it('does not delay other projects while its row is locked', async () => {
    const [held, other] = [await buildContact(), await buildContact()];
    const outcomes = await whileHeld(held, async () => {
      const stored = Promise.allSettled([request(held), request(held)]);
      await eventually(async () => (await lockWaiters(suite.database)).length > 0, 'it waits');
      for (let turn = 2; turn < 6; turn += 1) {
        await upsert(other, turn);
        await record(other);
      }
      return [stored] as const;
    });
    // The locked write is done, or its caller hears that nothing happened and may repeat it.
    for (const outcome of await outcomes[0])
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'unavailable' });
    await request(held);
    expect((await suite.bus.call(contacts.list, other, {})).items).toMatchObject([
      { customFields: { turn: 5 } },
    ]);
  });

  it('has no effect if its row stays locked, and the next one succeeds', async () => {
    const held = await buildContact();
    await whileHeld(held, () => expect(request(held)).rejects.toMatchObject({ kind: 'unavailable' }));
    const count = async () => (await suite.bus.call(events.list, held, { withTotal: true })).total;
    const [before] = (await suite.bus.call(contacts.list, held, {})).items;
    expect([before!.customFields, await count()]).toEqual([{}, 1]);
    await request(held);
    const [after] = (await suite.bus.call(contacts.list, held, {})).items;
    expect([after!.customFields, await count()]).not.toEqual([{}, 1]);
  });
});

it('the committed part of a batch is reported although the rest times out', async () => {
  const { caller } = suite.buildProject();
  const elsewhere = await buildContact();
  const { database, bus } = suite;
  await database.query(`CREATE FUNCTION wait_in_line() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock((new.custom_fields ->> ''waits'')::int); RETURN new; END'`);
  await database.query(
    `CREATE TRIGGER waits BEFORE UPDATE ON contacts FOR EACH ROW WHEN (new.custom_fields ? 'waits') EXECUTE FUNCTION wait_in_line()`,
  );
  const holding = <T>(lock: number, work: () => Promise<T>): Promise<T> =>
    database.transaction(async () => {
      await database.query(`SELECT pg_advisory_xact_lock($1)`, [lock]);
      return database.apart(work);
    });
  const other = { ...caller, userAgent: 'Another/1' };
  const outcomes = await holding(77, async () => {
    const calls = await holding(78, async () => {
      const first = bus.call(contacts.upsert, elsewhere, { email, customFields: { waits: 78 } }, waiting);
      await eventually(
        async () => (await lockWaiters(database, { locktype: 'advisory' })).length > 0,
        'it waits',
      );
      const after = [
        bus.call(contacts.create, caller, { email: 'new@example.org' }, waiting),
        bus.call(contacts.create, caller, { email: 'slow@example.org', customFields: { turn: 1 } }, waiting),
        bus.call(contacts.upsert, other, { email: 'slow@example.org', customFields: { waits: 77 } }, waiting),
      ];
      // The answer to a later call shows that the earlier ones are done.
      await bus.call(contacts.list, caller, {});
      return [Promise.allSettled([first, ...after])] as const;
    });
    return calls[0];
  });
  const statuses = outcomes.slice(1).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(outcomes[3]).toMatchObject({ reason: { kind: 'unavailable' } });
  const [slow] = (await bus.call(contacts.list, caller, { search: 'slow@' })).items;
  expect(slow!.customFields).toEqual({ turn: 1 });
});

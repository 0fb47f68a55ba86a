import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contacts, lists, memberships, optOuts, type Caller } from '@posthorn/contracts';
import { eventually, standIn } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../../testing/contacts-suite.js';

const email = 'ada@example.org';
const waiting = { timeoutMs: 30_000 };
const atOnce = 200;
const perProject = 2;

let suite: ContactsSuite;
let held: Promise<void> = Promise.resolve();
let stored = 0;
let leave: () => Promise<void>;
beforeAll(async () => {
  suite = await startContactsSuite();
  await suite.loseSending();
  leave = await standIn(suite.connection, optOuts.put, async ({ optOuts: put }) => {
    stored += 1;
    await held;
    return { put: put.length };
  });
});
afterAll(async () => {
  await leave();
  await suite.stop();
});

/** Connections of transactions that have locked a contact, or wait to. */
const busyConnections = async () => {
  const [row] = await suite.database.apart(() =>
    suite.database.query<{ count: number }>(
      `SELECT count(DISTINCT pid)::int AS count FROM pg_locks
       WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND relation = 'contacts'::regclass AND mode = 'RowShareLock'`,
    ),
  );
  return row!.count;
};

async function buildContact(): Promise<{ caller: Caller; id: string }> {
  const { caller } = suite.buildProject();
  return { caller, id: (await suite.bus.call(contacts.create, caller, { email })).id };
}

const repeated = <T>(call: (turn: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
  Promise.allSettled(Array.from({ length: atOnce }, (_, turn) => call(turn)));

/** Another project is served while as few connections are busy as the limit allows, besides those of the test. */
async function expectRoom({ caller }: { caller: Caller }, own = 0, forMs = 60_000): Promise<void> {
  await eventually(async () => (await busyConnections()) > own, 'they wait');
  const began = performance.now();
  for (let turn = 0; turn < 20 && performance.now() - began < forMs; turn += 1) {
    expect((await suite.bus.call(contacts.list, caller, {})).items).toHaveLength(1);
    expect(await busyConnections()).toBeLessThanOrEqual(perProject + own);
  }
}

it('unsubscribes of one address at once share few runs, and leave connections to other projects', async () => {
  const round = async () => {
    const [{ caller, id }, other] = [await buildContact(), await buildContact()];
    let [release, heldMs] = [() => {}, 0];
    held = new Promise((resolve) => (release = resolve));
    stored = 0;
    const calls = repeated(() => suite.bus.call(contacts.unsubscribe, caller, { email }, waiting));
    try {
      await eventually(async () => stored > 0, 'the first is stored');
      const began = performance.now();
      await expectRoom(other, 0, 500);
      heldMs = performance.now() - began;
    } finally {
      release();
    }
    return { caller, id, heldMs, outcomes: await calls };
  };
  let last = await round();
  // Storing an opt-out has its own time limit.
  for (let tries = 1; tries < 4 && last.heldMs > 800; tries += 1) last = await round();
  const { caller, id, outcomes } = last;
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  expect(stored).toBeLessThanOrEqual(perProject + 1);
  expect(await suite.bus.call(contacts.get, caller, { id })).toMatchObject({ subscribed: false });
});

it('an unsubscribe that begins after the others have their answer is a run of its own', async () => {
  const { caller, id } = await buildContact();
  const subscribe = { id, subscribed: true, customFieldsMode: 'MERGE' as const };
  for (let turn = 0; turn < 3; turn += 1) {
    await suite.bus.call(contacts.update, caller, subscribe);
    await suite.bus.call(contacts.unsubscribe, caller, { email });
    expect(await suite.bus.call(contacts.get, caller, { id })).toMatchObject({ subscribed: false });
  }
});

it('an unsubscribe by link has places that updates and list forms of its project cannot fill', async () => {
  const { caller, id } = await buildContact();
  const other = await suite.bus.call(contacts.create, caller, { email: 'eve@example.org' });
  const list = await suite.bus.call(lists.create, caller, { name: 'News' });
  const lock = `SELECT 1 FROM contacts WHERE project_id = $1 AND id = $2 FOR UPDATE`;
  const { others } = await suite.database.transaction(async () => {
    await suite.database.query(lock, [caller.projectId, id]);
    return suite.database.apart(async () => {
      const update = (turn: number) => ({ id, customFields: { turn }, customFieldsMode: 'MERGE' as const });
      const calls = Array.from({ length: atOnce }, (_, turn) => [
        suite.bus.call(contacts.update, caller, update(turn), waiting),
        suite.bus.call(memberships.subscribe, caller, { id: list.id, email }, waiting),
      ]).flat();
      // Only so many may wait: one more is refused at once.
      await expect(Promise.all(calls)).rejects.toMatchObject({ kind: 'rate_limited' });
      const unsubscribed = suite.bus.call(contacts.unsubscribe, caller, { email: other.email });
      return { others: Promise.allSettled(calls), unsubscribed: await unsubscribed };
    });
  });
  await others;
  expect(await suite.bus.call(contacts.get, caller, { id: other.id })).toMatchObject({ subscribed: false });
});

const changes: [
  what: string,
  call: (of: { caller: Caller; id: string; listId: string }, turn: number) => Promise<object>,
][] = [
  [
    'updates of a contact',
    ({ caller, id }, turn) =>
      suite.bus.call(
        contacts.update,
        caller,
        { id, customFields: { turn }, customFieldsMode: 'MERGE' },
        waiting,
      ),
  ],
  [
    'subscriptions to a list',
    ({ caller, listId }) => suite.bus.call(memberships.subscribe, caller, { id: listId, email }, waiting),
  ],
  [
    'unsubscribes from a list',
    ({ caller, listId }) => suite.bus.call(memberships.unsubscribe, caller, { id: listId, email }, waiting),
  ],
];

it.each(changes)('%s leave connections to other projects while its row is locked', async (_, call) => {
  const [contact, other] = [await buildContact(), await buildContact()];
  const { caller } = contact;
  const list = await suite.bus.call(lists.create, caller, { name: 'News' });
  const lock = `SELECT 1 FROM contacts WHERE project_id = $1 FOR UPDATE`;
  const { calls } = await suite.database.transaction(async () => {
    await suite.database.query(lock, [caller.projectId]);
    return suite.database.apart(async () => {
      const calls = repeated((turn) => call({ ...contact, listId: list.id }, turn));
      await expectRoom(other, 1);
      return { calls };
    });
  });
  for (const outcome of await calls)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ kind: expect.stringMatching(/^(unavailable|rate_limited)$/) });
  expect((await calls).some(({ status }) => status === 'fulfilled')).toBe(true);
});

import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contactEvents, eventSubject, streamOf } from '@posthorn/contracts';
import { BusConnection } from '@posthorn/messaging';
import { eventually, startTestNats, type TestNats } from '@posthorn/testing';
import pg from 'pg';
import { urlOfDatabase } from '../testing/left-behind.js';
import { makeDataDirectory, mode, RunningPosthorn } from '../testing/running-posthorn.js';

const minutes = 1;
const promisedSeconds = 60;
const [entered, left] = [contactEvents.segmentEntered.name, contactEvents.segmentLeft.name];

const directory = makeDataDirectory();
let posthorn: RunningPosthorn;
let database: pg.Pool;
let nats: TestNats;
beforeAll(async () => {
  // A server without users, because the operator may read no events.
  nats = await startTestNats();
  // Kills one service while the others continue.
  posthorn = await RunningPosthorn.start(
    directory.path,
    { NATS_URL: nats.url },
    mode === 'one' ? ['--services'] : undefined,
  );
  database = new pg.Pool({ connectionString: await urlOfDatabase(posthorn, 'posthorn_contacts'), max: 2 });
});
afterAll(async () => {
  await database.end();
  await posthorn.stop();
  await nats.stop();
  directory.remove();
});

it('a segment is entered and left by time alone, once each and in time, although contacts is killed before, between and after', async () => {
  const { body: segment } = await posthorn.post('/api/v1/segments', { name: 'Just came', type: 'DYNAMIC', condition: young, track_membership: true });
  const made = await killedHalfway(() => create('first'));
  const contacts = [made, await create('second')];
  await eventually(async () => (await kinds(contacts[1]!)).includes('segment.entered'), 'the second is in');
  await killed();
  contacts.push(await create('third'));
  await eventually(async () => (await kinds(contacts[2]!)).includes('segment.entered'), 'the third is in');
  await passTime();
  await database.query(`SELECT pg_sleep_until(min(due_at) - interval '1 second') FROM segment_due`);
  await killedHalfway(async () => undefined);
  await eventually(async () => (await events()).filter(({ event }) => event === left).length >= contacts.length, 'all have left', 90_000);
  const reported = await events();
  for (const id of contacts) {
    const own = reported.filter(({ contactId }) => contactId === id);
    expect(own).toMatchObject([entered, left].map((event) => ({ event, slug: 'just-came', segmentId: segment.id })));
    expect(await kinds(id)).toEqual(['segment.exited', 'segment.entered']);
    for (const { late } of own) expect([late >= 0, late <= promisedSeconds]).toEqual([true, true]);
  }
  expect(reported).toHaveLength(contacts.length * 2);
  expect(await published()).toEqual(reported.map(({ event, contactId }) => `${event} ${contactId}`).sort());
  expect((await posthorn.get(`/api/v1/segments/${segment.id}`)).body.member_count).toBe(0);
  const latest = (of: string) => Math.max(...reported.filter(({ event }) => event === of).map(({ late }) => late)).toFixed(2);
  process.stderr.write(
    `entry and exit by time alone (createdAt within ${minutes} minutes, contacts killed 3 times): at most ${latest(entered)} s and ${latest(left)} s late\n`,
  );
}, minutes * 60_000 + 180_000); // prettier-ignore

const young = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'createdAt', operator: 'within', value: minutes, unit: 'minutes' }] }],
};

/** Moves every stored time into the past, as if the first exit were due in five seconds. */
async function passTime(): Promise<void> {
  await database.query(
    `WITH passed AS (SELECT min(due_at) - now() - interval '5 seconds' AS by FROM segment_due),
       due AS (UPDATE segment_due SET due_at = due_at - (SELECT by FROM passed)),
       work AS (UPDATE work_items SET due_at = due_at - (SELECT by FROM passed) WHERE due_at > now()),
       entered AS (UPDATE outbox SET published_at = published_at - (SELECT by FROM passed) WHERE published_at IS NOT NULL)
     UPDATE contacts SET created_at = created_at - (SELECT by FROM passed)`,
  );
}

async function create(name: string): Promise<string> {
  const answer = await posthorn.post('/api/v1/contacts', { email: `${name}@example.com` });
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}

async function kinds(id: string): Promise<string[]> {
  const { body } = await posthorn.get(`/api/v1/contacts/${id}/activity`);
  return (body.data as { kind: string }[])
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('segment.'));
}

/** SIGKILL; resolves after the restart. */
async function killed(): Promise<void> {
  const returns = () => posthorn.output.split('contacts is back').length;
  const before = returns();
  process.kill(posthorn.processes.find(({ name }) => name === 'contacts')!.pid, 'SIGKILL');
  await eventually(async () => returns() > before, 'contacts is back', 60_000);
}

/** Killed before the commit of entries and exits. */
async function killedHalfway<T>(cause: () => Promise<T>): Promise<T> {
  const holder = await database.connect();
  await holder.query('BEGIN; LOCK TABLE segment_members IN SHARE MODE');
  const made = await cause();
  await eventually(async () => {
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'segment_members'::regclass`;
    return (await database.query(waiting)).rowCount! > 0;
  }, 'contacts is about to write');
  const back = killed();
  await holder.query('ROLLBACK');
  holder.release();
  await back;
  return made;
}

interface Published {
  event: string;
  contactId: string;
  segmentId: string;
  slug: string;
  /** Seconds from the time when it became true to its publication, in Postgres time. */
  late: number;
}

async function events(): Promise<Published[]> {
  const { rows } = await database.query<Published>(
    `SELECT o.event_name AS event, item ->> 'contactId' AS "contactId", item ->> 'segmentId' AS "segmentId", item ->> 'slug' AS slug,
       extract(epoch FROM o.published_at - c.created_at - CASE o.event_name WHEN $1 THEN interval '0' ELSE $2 * interval '1 minute' END)::float8 AS late
     FROM outbox o CROSS JOIN jsonb_array_elements(o.items) AS item JOIN contacts c ON c.id = (item ->> 'contactId')::uuid
     WHERE o.event_name LIKE 'contacts.segment.%' AND o.published_at IS NOT NULL ORDER BY o.id`,
    [entered, minutes],
  );
  return rows;
}

/** Segment events in the stream of contacts. */
async function published(): Promise<string[]> {
  const connection = await BusConnection.open({ url: posthorn.servers.natsUrl, name: 'reader' });
  const { streams } = await jetstreamManager(connection.nats);
  const { state } = await streams.info(streamOf('contacts'));
  const found: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(streamOf('contacts'), { seq });
    const event = [entered, left].find((name) => message?.subject === eventSubject(name));
    if (event)
      found.push(
        ...message!.json<{ items: Published[] }>().items.map(({ contactId }) => `${event} ${contactId}`),
      );
  }
  await connection.close();
  return found.sort();
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { emailEvents, streamOf, type EmailChangedEvent } from '@posthorn/contracts';
import { DatabaseClock, newId, openDatabase, type Database } from '@posthorn/database';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { BusConnection } from '../calls/connection.js';
import { EventErasure } from './event-erasure.js';
import type { DomainEvent } from '../calls/handlers.js';
import { Inbox } from './inbox.repository.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { Outbox } from '../outbox/outbox.repository.js';
import { OutboxRelayRepository } from '../outbox/outbox-relay.repository.js';
import { effectsTable } from '../testing/effects-table.js';
import { subscriptionOf } from '../testing/one-subscriber.js';

const nobody = 'erased@erased.invalid';
const stream = streamOf('sending');
const durable = 'spec-erasing';

describe('erasing addresses from events', () => {
  let nats: TestNats;
  let clone: TestDatabase;
  let database: Database;
  let connection: BusConnection;
  let manager: JetStreamManager;
  let outbox: Outbox;
  let relayRepository: OutboxRelayRepository;
  let relay: OutboxRelay;
  const received: EmailChangedEvent[] = [];

  beforeAll(async () => {
    [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('erasing', effectsTable)]);
    database = await openDatabase({
      url: clone.url,
      name: 'erasing',
      poolSize: 10,
      connectTimeoutMs: 30_000,
      ...effectsTable,
    });
    connection = await BusConnection.open({ url: nats.url, name: 'erasing' });
    manager = await jetstreamManager(connection.nats, { checkAPI: false });
    [outbox, relayRepository] = [new Outbox(database), new OutboxRelayRepository(database, 'sending')];
    relay = new OutboxRelay({
      service: 'sending',
      database,
      relayRepository,
      connection,
      clock: new DatabaseClock(database),
    });
    relay.start();
  });
  afterAll(async () => {
    await relay.stop();
    await connection.close();
    await database.close();
    await Promise.all([clone.drop(), nats.stop()]);
  });

  const erasing = () => new EventErasure(database, 'sending', connection);
  const mail = (to: string): EmailChangedEvent => ({
    emailId: newId(),
    to,
    at: new Date(),
    sourceType: 'TRANSACTIONAL',
  });
  const publish = async (projectId: string, ...items: EmailChangedEvent[]) => {
    await outbox.publish(emailEvents.delivered, projectId, items);
  };
  const published = () =>
    eventually(async () => {
      const [row] = await database.query<{ left: number }>(
        `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM event_repeats) AS left`,
      );
      return row!.left === 0;
    }, 'everything is published');
  const erase = async (projectId: string, ...emails: string[]) => {
    const events = erasing();
    const one = async (email: string) => {
      const person = { projectId, erasureId: newId(), email };
      while (!(await events.erase(person)));
    };
    await Promise.all(emails.map(one));
  };
  /** Everything that is stored, in Postgres and in the stream. */
  const stored = async (): Promise<string> => {
    const rows = await database.query<{ row: string }>(
      `SELECT to_jsonb(o)::text AS row FROM outbox o UNION ALL SELECT to_jsonb(d)::text FROM dead_letters d`,
    );
    return [...rows.map(({ row }) => row), ...(await messages())].join('\n').toLowerCase();
  };
  const messages = async (): Promise<string[]> => {
    const { state } = await manager.streams.info(stream);
    const texts: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
      if (message) texts.push(new TextDecoder().decode(message.data));
    }
    return texts;
  };

  it('removes them from the outbox and the stream, and leaves other projects alone', async () => {
    const [projectId, other] = [newId(), newId()];
    const [ann, bob] = ['ann@example.org', 'bob@example.org'];
    await publish(projectId, mail(ann), mail(bob));
    await publish(other, mail(ann));
    await published();
    await erase(projectId, ann);
    const events = await database.query<{ items: EmailChangedEvent[] }>(
      `SELECT items FROM outbox WHERE project_id = $1`,
      [projectId],
    );
    expect(events.flatMap(({ items }) => items.map(({ to }) => to))).toEqual([nobody, bob]);
    const texts = (await messages()).map(
      (text) => JSON.parse(text) as { projectId: string; items: EmailChangedEvent[] },
    );
    // The relay may tell what is new once more when it sees its stream for the first time.
    const reported = (id: string) => [
      ...new Set(
        texts.filter((event) => event.projectId === id).map(({ items }) => items.map(({ to }) => to).join()),
      ),
    ];
    expect([reported(projectId), reported(other)]).toEqual([[`${nobody},${bob}`], [ann]]);
    await relayRepository.republishSince(new Date(0));
    await published();
    expect((await messages()).filter((text) => text.includes(projectId) && text.includes(ann))).toEqual([]);
  });

  it('works while events wait, are in flight and are published again, and loses none of them', async () => {
    const projectId = newId();
    const emails = Array.from({ length: 40 }, (_, index) => `reader-${index}@example.org`);
    const sent = emails.map(mail);
    for (const item of sent) await publish(projectId, item);
    await relayRepository.republishSince(new Date(0));
    await erase(projectId, ...emails);
    await published();
    // What was published before it was rewritten is found by a later look at the latest.
    expect(await stored()).not.toMatch(/reader-\d+@example\.org/);
    const run = async ({ projectId: of, items }: DomainEvent<object>) =>
      void (of === projectId && received.push(...(items as EmailChangedEvent[])));
    const subscription = subscriptionOf({
      connection,
      inbox: new Inbox(database),
      contract: emailEvents.delivered,
      name: durable,
      run,
    });
    subscription.start();
    await eventually(async () => received.length >= sent.length, 'everything is heard');
    await subscription.stop();
    expect(received.map(({ emailId }) => emailId).sort()).toEqual(sent.map(({ emailId }) => emailId).sort());
    expect(new Set(received.map(({ to }) => to))).toEqual(new Set([nobody]));
  });

  it('removes them from dead letters and their errors', async () => {
    const projectId = newId();
    const event = {
      id: newId(),
      name: emailEvents.delivered.name,
      version: 1,
      projectId,
      at: new Date(),
      items: [mail('dora@example.org')],
    };
    const letter = {
      subscriber: durable,
      eventId: event.id,
      event: event.name,
      payload: event,
      error: 'Key (email)=(DORA@example.org) exists',
    };
    await new Inbox(database).storeDeadLetter(letter);
    await new Inbox(database).storeDeadLetter({
      ...letter,
      eventId: newId(),
      payload: { ...event, projectId: newId() },
      error: 'none',
    });
    await erase(projectId, 'dora@example.org');
    const left = await database.query<{ text: string }>(
      `SELECT payload::text || error AS text FROM dead_letters ORDER BY error`,
    );
    expect(left.map(({ text }) => /dora@example\.org/i.test(text))).toEqual([false, true]);
    expect(left[0]!.text).toContain(`(email)=(${nobody}) exists`);
  });

  it('starts again in a new process, and handles large numbers', async () => {
    const projectId = newId();
    const events = 2_500;
    await database.query(
      `INSERT INTO outbox (id, project_id, event_name, items)
       SELECT uuidv7(), $1, $2, jsonb_build_array(jsonb_build_object('emailId', uuidv7(), 'to', 'eve@example.org', 'at', now(), 'sourceType', 'TRANSACTIONAL'))
       FROM generate_series(1, $3)`,
      [projectId, emailEvents.delivered.name, events],
    );
    await published();
    const person = { projectId, erasureId: newId(), email: 'eve@example.org' };
    expect(await erasing().erase(person)).toBe(false);
    const again = erasing();
    let calls = 1;
    while (!(await again.erase(person))) calls += 1;
    expect(calls).toBeGreaterThan(2);
    expect(await stored()).not.toContain('eve@example.org');
  });

  it('is not delayed by later erasures', async () => {
    const person = () => ({ projectId: newId(), erasureId: newId(), email: 'nobody-here@example.org' });
    const otherCalls = async (newcomers: number): Promise<number> => {
      const [events, first] = [erasing(), person()];
      for (let calls = 1; ; calls += 1) {
        const requested = [first, ...Array.from({ length: calls > 1 ? newcomers : 0 }, person)];
        const [done] = await Promise.all(requested.map((each) => events.erase(each)));
        if (done) return calls;
      }
    };
    const alone = await otherCalls(0);
    expect(alone).toBeGreaterThan(1);
    expect(await otherCalls(2)).toBe(alone);
  });

  it('is retried where NATS is away', async () => {
    const away = await BusConnection.open({ url: nats.url, name: 'away' });
    await away.close();
    const events = new EventErasure(database, 'sending', away);
    await expect(
      events.erase({ projectId: newId(), erasureId: newId(), email: 'ann@example.org' }),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { emailEvents, operations, serviceCaller } from '@posthorn/contracts';
import { DatabaseClock, newId, openDatabase, type Database } from '@posthorn/database';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { BusConnection } from './connection.js';
import { DeadLetters } from './dead-letters.repository.js';
import { ensureConsumer } from './event-stream.js';
import { EventSubscription } from './event-subscription.js';
import type { DomainEvent } from './handlers.js';
import { Inbox } from './inbox.repository.js';
import { Operations } from './operations.js';
import { OutboxRelay } from './outbox-relay.js';
import { Outbox } from './outbox.repository.js';
import { Publishing } from './publishing.repository.js';
import { effectsTable } from './testing/effects-table.js';

// Several starts of servers and the patience of two watchdogs, also on a machine that has other things to do.
const timeoutMs = 90_000;
const stream = 'FACTS_SENDING';
const durables = ['spec-one', 'spec-two'];

const acknowledging = (sequences: number[]) => ({ acknowledged: [], sequences, failures: [] });

describe('a NATS that loses its store', () => {
  let nats: TestNats;
  let clone: TestDatabase;
  let database: Database;
  let outbox: Outbox;
  let connections: BusConnection[];
  let relays: OutboxRelay[] = [];
  let subscriptions: EventSubscription[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('repair', effectsTable)]);
    database = await openDatabase({ url: clone.url, name: 'repair', poolSize: 10, ...effectsTable });
    outbox = new Outbox(database);
    connections = await Promise.all(
      ['relay-1', 'relay-2', 'ears'].map((name) => BusConnection.open({ url: nats.url, name })),
    );
  }, timeoutMs);
  afterAll(async () => {
    await stopSubscribers();
    await stopRelays();
    await Promise.all(connections.map((each) => each.close()));
    await database.close();
    await Promise.all([clone.drop(), nats.stop()]);
  }, timeoutMs);
  beforeEach(() => {
    startRelays();
    startSubscribers(durables);
  }, timeoutMs);

  const publishing = () => new Publishing(database, 'sending');
  /** Two replicas of the owner, each with a connection of its own. */
  const startRelays = () => {
    if (relays.length > 0) return;
    const clock = new DatabaseClock(database);
    relays = connections.slice(0, 2).map(
      (connection) =>
        new OutboxRelay({
          service: 'sending',
          database,
          outbox,
          publishing: publishing(),
          connection,
          clock,
        }),
    );
    for (const relay of relays) relay.start();
  };
  const stopRelays = async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  };
  const startSubscribers = (names: string[]) => {
    for (const durable of names.filter((name) => !subscriptions.some((each) => each.durable === name))) {
      const run = async ({ items }: DomainEvent<object>) => {
        const ids = (items as { emailId: string }[]).map(({ emailId }) => emailId);
        await database.query(`INSERT INTO effects SELECT $1, unnest($2::uuid[])`, [durable, ids]);
      };
      const inbox = new Inbox(database);
      const contract = emailEvents.delivered;
      const subscription = new EventSubscription({
        connection: connections[2]!,
        inbox,
        outbox,
        contract,
        durable,
        run,
      });
      subscriptions.push(subscription);
      subscription.start();
    }
  };
  const stopSubscribers = async (name?: string) => {
    const stopping = subscriptions.filter(({ durable }) => !name || durable === name);
    subscriptions = subscriptions.filter((each) => !stopping.includes(each));
    await Promise.all(stopping.map((each) => each.stop()));
  };
  /** Over all tests: what one of them does must not bring back what another one told. */
  const reported: string[] = [];
  const publish = async (events: number) => {
    for (let count = 0; count < events; count += 1) {
      const emailId = newId();
      reported.push(emailId);
      await outbox.publish(emailEvents.delivered, newId(), [
        { emailId, to: 'a@x.test', at: new Date(), sourceType: 'TRANSACTIONAL' },
      ]);
    }
    outbox.wakeUp();
  };
  const effectsOf = async (durable: string) => {
    const rows = await database.query<{ email_id: string }>(
      'SELECT email_id FROM effects WHERE durable = $1 ORDER BY email_id',
      [durable],
    );
    return rows.map(({ email_id }) => email_id);
  };
  const published = () =>
    eventually(async () => {
      const [row] = await database.query<{ left: number }>(
        `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM fact_repeats) AS left`,
      );
      return row!.left === 0;
    }, 'everything is published');
  const takenBy = (durable: string) =>
    eventually(
      async () => (await effectsOf(durable)).length >= reported.length,
      `${durable} hears everything`,
      60_000,
    );
  const findConsumer = async (durable: string) => {
    const manager = await jetstreamManager(connections[2]!.nats, { checkAPI: false });
    return manager.consumers.info(stream, durable);
  };
  /** Everything once: also after whatever still repeats has been taken in. */
  const expectEachOnce = async () => {
    for (const durable of durables) await takenBy(durable);
    await published();
    for (const durable of durables) {
      await eventually(async () => {
        const info = await findConsumer(durable).catch(() => null);
        return info && info.num_pending + info.num_ack_pending === 0;
      }, `${durable} has nothing left`);
      expect(await effectsOf(durable)).toEqual([...reported].sort());
    }
  };

  it(
    'changes nothing when what one subscriber had not heard was in it',
    async () => {
      await stopSubscribers('spec-two');
      await publish(300);
      await takenBy('spec-one');
      await published();
      await nats.kill({ wiped: true });
      await nats.start();
      startSubscribers(durables);
      await expectEachOnce();
    },
    timeoutMs,
  );

  it.each([1, 2, 3])('changes nothing in the middle of the stream of events, %i times', async (times) => {
    for (let time = 0; time < times; time += 1) {
      await publish(200);
      await nats.kill({ wiped: true });
      await publish(100);
      await nats.start();
      await publish(100);
    }
    await expectEachOnce();
  });

  it(
    'changes nothing while the owner of the events is away',
    async () => {
      await stopSubscribers();
      await publish(100);
      await published();
      await stopRelays();
      await nats.kill({ wiped: true });
      await nats.start();
      startSubscribers(durables);
      await eventually(
        () => findConsumer('spec-two').catch(() => null),
        'a subscriber makes the stream anew',
      );
      await publish(50);
      startRelays();
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'is noticed though no connection breaks',
    async () => {
      await stopSubscribers('spec-two');
      await publish(100);
      await takenBy('spec-one');
      await published();
      const manager = await jetstreamManager(connections[2]!.nats);
      await manager.streams.delete(stream);
      startSubscribers(durables);
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'is noticed by the sequences that it gives again, before anybody looks',
    async () => {
      await publish(20);
      await expectEachOnce();
      await stopRelays();
      const [manager, sent] = [await jetstreamManager(connections[2]!.nats), publishing()];
      const known = await sent.known();
      await manager.streams.delete(stream);
      await publish(1);
      await expect(sent.publishFresh(10, async () => acknowledging([1]))).rejects.toMatchObject({
        generation: known!.generation,
      });
      startRelays();
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'leaves unmarked what was published before the loss was noted',
    async () => {
      await expectEachOnce();
      await stopRelays();
      await publish(1);
      const sent = publishing();
      const known = (await sent.known())!;
      await sent.publishFresh(10, async () => {
        await publishing().renew(known, { incarnation: 'another', lastSequence: 0 }, new Date());
        return acknowledging([known.lastSequence + 1]);
      });
      const [row] = await database.query<{ waiting: number }>(
        'SELECT count(*) AS waiting FROM outbox WHERE published_at IS NULL',
      );
      expect(row!.waiting).toBe(1);
      expect(await publishing().renew(known, { incarnation: 'another', lastSequence: 0 }, new Date())).toBe(
        false,
      );
      startRelays();
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'does not hold up what is fresh while a backlog is repeated',
    async () => {
      await stopSubscribers();
      await database.query(
        `INSERT INTO outbox (id, project_id, fact, items, created_at, published_at)
       SELECT ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), 'sending.email.sent', '[]', now(), now()
       FROM generate_series(1, 20000) AS n`,
      );
      await publishing().repeatSince(new Date('2025-01-01T00:00:00Z'));
      expect(await publishing().repeating()).toBe(20_000 + reported.length);
      startSubscribers(durables);
      await publish(5);
      for (const durable of durables) await takenBy(durable);
      expect(await publishing().repeating()).toBeGreaterThan(0);
      await stopRelays();
      await database.query(`DELETE FROM fact_repeats`);
      await database.query(`DELETE FROM outbox WHERE fact = 'sending.email.sent'`);
      startRelays();
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'is asked to tell again what a restored database has forgotten',
    async () => {
      await publish(20);
      await expectEachOnce();
      await database.query(`DELETE FROM inbox WHERE subscriber = 'spec-one'`);
      await database.query(`DELETE FROM effects WHERE durable = 'spec-one'`);
      const deadLetters = new DeadLetters(database);
      const operator = new Operations({
        service: 'sending',
        publishing: publishing(),
        deadLetters,
        outbox,
        subscribers: () => [],
      });
      const [, republish] = operator
        .answers()
        .find(([contract]) => contract === operations.sending.republish)!;
      const call = { caller: serviceCaller('spec', newId()), deadline: null, body: { since: new Date(0) } };
      expect(await republish(call)).toMatchObject({ facts: reported.length });
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'finds its consumers again, and makes those like new that were made otherwise',
    async () => {
      const { nats: wire } = connections[2]!;
      const manager = await jetstreamManager(wire);
      const own = emailEvents.bounced;
      const made = await ensureConsumer(wire, own, 'spec-config');
      expect((await ensureConsumer(wire, own, 'spec-config')).created).toEqual(made.created);
      expect((await ensureConsumer(wire, own, 'spec-config', 7_000)).config.ack_wait).toBe(7_000_000_000);
      // Another subject is nothing that a server of 2.9 changes in place.
      await ensureConsumer(wire, emailEvents.complained, 'spec-config');
      const now = await manager.consumers.info(stream, 'spec-config');
      expect(now.config).toMatchObject({
        filter_subject: 'facts.sending.email.complained',
        ack_wait: 30_000_000_000,
      });
      await publish(3);
      await manager.consumers.delete(stream, 'spec-one');
      await publish(3);
      await expectEachOnce();
    },
    timeoutMs,
  );
});

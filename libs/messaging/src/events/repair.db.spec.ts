import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { operations, serviceCaller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { DeadLetters } from './dead-letters.repository.js';
import { ensureConsumer } from './event-stream.js';
import { OperatorCalls } from '../calls/operator-calls.js';
import { durables, RepairSuite, stream } from '../testing/repair-suite.js';

// Several starts of servers and the patience of two watchdogs, also on a machine that has other things to do.
const timeoutMs = 90_000;

const acknowledging = (sequences: number[]) => ({ acknowledged: [], sequences, failures: [] });

describe('a NATS that loses its store', () => {
  let suite: RepairSuite;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    suite = await RepairSuite.start();
  }, timeoutMs);
  afterAll(() => suite.stop(), timeoutMs);
  beforeEach(() => {
    suite.startRelays();
    suite.startSubscribers();
  }, timeoutMs);

  it(
    'loses no event that a subscriber had not received',
    async () => {
      await suite.stopSubscribers('spec-two');
      await suite.publish(300);
      await suite.takenBy('spec-one');
      await suite.published();
      await suite.nats.kill({ wiped: true });
      await suite.nats.start();
      suite.startSubscribers();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it.each([1, 2, 3])('loses nothing while events are published, %i times', async (times) => {
    for (let time = 0; time < times; time += 1) {
      await suite.publish(200);
      await suite.nats.kill({ wiped: true });
      await suite.publish(100);
      await suite.nats.start();
      await suite.publish(100);
    }
    await suite.expectEachOnce();
  });

  it(
    'loses nothing while the owner of the events is away',
    async () => {
      await suite.stopSubscribers();
      await suite.publish(100);
      await suite.published();
      await suite.stopRelays();
      await suite.nats.kill({ wiped: true });
      await suite.nats.start();
      suite.startSubscribers();
      await eventually(
        () => suite.findConsumer('spec-two').catch(() => null),
        'a subscriber makes the stream anew',
      );
      await suite.publish(50);
      suite.startRelays();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'is noticed although no connection breaks',
    async () => {
      await suite.stopSubscribers('spec-two');
      await suite.publish(100);
      await suite.takenBy('spec-one');
      await suite.published();
      const manager = await jetstreamManager(suite.connection.nats);
      await manager.streams.delete(stream);
      suite.startSubscribers();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'is noticed by repeated sequences before the next check',
    async () => {
      await suite.publish(20);
      await suite.expectEachOnce();
      await suite.stopRelays();
      const [manager, sent] = [await jetstreamManager(suite.connection.nats), suite.relayRepository()];
      const known = await sent.known();
      await manager.streams.delete(stream);
      await suite.publish(1);
      await expect(sent.sendFresh(10, async () => acknowledging([1]))).rejects.toMatchObject({
        generation: known!.generation,
      });
      suite.startRelays();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'leaves events unmarked that were published before the loss was noted',
    async () => {
      await suite.expectEachOnce();
      await suite.stopRelays();
      await suite.publish(1);
      const sent = suite.relayRepository();
      const known = (await sent.known())!;
      await sent.sendFresh(10, async () => {
        await suite
          .relayRepository()
          .acceptNewStream(known, { identity: 'another', lastSequence: 0 }, new Date());
        return acknowledging([known.lastSequence + 1]);
      });
      const [row] = await suite.database.query<{ waiting: number }>(
        'SELECT count(*) AS waiting FROM outbox WHERE published_at IS NULL',
      );
      expect(row!.waiting).toBe(1);
      expect(
        await suite
          .relayRepository()
          .acceptNewStream(known, { identity: 'another', lastSequence: 0 }, new Date()),
      ).toBe(false);
      suite.startRelays();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'does not delay new events while others are published again',
    async () => {
      await suite.stopSubscribers();
      await suite.database.query(
        `INSERT INTO outbox (id, project_id, event_name, items, created_at, published_at)
       SELECT ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), 'sending.email.sent', '[]', now(), now()
       FROM generate_series(1, 20000) AS n`,
      );
      await suite.stopRelays();
      await suite.relayRepository().republishSince(new Date('2025-01-01T00:00:00Z'));
      expect(await suite.relayRepository().countRepublishing()).toBe(20_000 + suite.reported.length);
      await suite.database.query(`
        CREATE TABLE meanwhile (republishing boolean);
        CREATE FUNCTION write_meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO meanwhile SELECT EXISTS (SELECT FROM event_repeats);
          RETURN NULL;
        END $$;
        CREATE TRIGGER write_meanwhile AFTER UPDATE ON outbox FOR EACH ROW
          WHEN (OLD.published_at IS NULL AND NEW.published_at IS NOT NULL) EXECUTE FUNCTION write_meanwhile()`);
      suite.startRelays();
      suite.startSubscribers();
      await suite.publish(5);
      for (const durable of durables) await suite.takenBy(durable);
      // One is enough: on a slow machine the republication may be over before the others are written.
      expect(await suite.database.query('SELECT FROM meanwhile WHERE republishing')).not.toEqual([]);
      await suite.stopRelays();
      await suite.database.query(`DROP FUNCTION write_meanwhile CASCADE`);
      await suite.database.query(`DELETE FROM event_repeats`);
      await suite.database.query(`DELETE FROM outbox WHERE event_name = 'sending.email.sent'`);
      suite.startRelays();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'publishes again, on request, what a restored database has lost',
    async () => {
      await suite.publish(20);
      await suite.expectEachOnce();
      await suite.database.query(`DELETE FROM inbox WHERE subscriber = 'spec-one'`);
      await suite.database.query(`DELETE FROM effects WHERE durable = 'spec-one'`);
      const deadLetters = new DeadLetters(suite.database);
      const operator = new OperatorCalls({
        service: 'sending',
        relayRepository: suite.relayRepository(),
        deadLetters,
        subscribers: () => [],
      });
      const [, republish] = operator
        .answers()
        .find(([contract]) => contract === operations.sending.republish)!;
      const call = { caller: serviceCaller('spec', newId()), deadline: null, body: { since: new Date(0) } };
      await suite.stopRelays();
      expect(await republish(call)).toMatchObject({ events: suite.reported.length });
      suite.startRelays();
      await suite.expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'gets its consumers back, and those with other settings are created again',
    async () => {
      const { connection } = suite;
      const manager = await jetstreamManager(connection.nats);
      const made = await ensureConsumer(connection, 'sending', 'spec-config');
      expect((await ensureConsumer(connection, 'sending', 'spec-config')).created).toEqual(made.created);
      expect((await ensureConsumer(connection, 'sending', 'spec-config', 7_000)).config.ack_wait).toBe(
        7_000_000_000,
      );
      // Another subject is nothing that a server of 2.9 changes in place.
      await manager.consumers.delete(stream, 'spec-config');
      const other = { filter_subject: 'events.sending.email.bounced', ack_policy: AckPolicy.Explicit };
      await manager.consumers.add(stream, { durable_name: 'spec-config', ...other });
      await ensureConsumer(connection, 'sending', 'spec-config');
      const now = await manager.consumers.info(stream, 'spec-config');
      expect(now.config).toMatchObject({ filter_subject: 'events.sending.>', ack_wait: 30_000_000_000 });
      await manager.consumers.delete(stream, 'spec-config');
      await suite.publish(3);
      await manager.consumers.delete(stream, 'spec-one');
      await suite.publish(3);
      await suite.expectEachOnce();
    },
    timeoutMs,
  );
});

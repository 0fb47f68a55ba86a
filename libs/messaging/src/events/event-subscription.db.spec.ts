import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { emailEvents, type EmailBounced, type EventContract } from '@posthorn/contracts';
import { newId, openDatabase, type Database } from '@posthorn/database';
import {
  cloneDatabase,
  DatabaseLine,
  eventually,
  EventPublisher,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { BusConnection } from '../calls/connection.js';
import { EventSubscription } from './event-subscription.js';
import { Subscriber, type Timeouts } from './subscriber.js';
import type { DomainEvent, Relevance } from '../calls/handlers.js';
import { Interests, type Interest } from './event-parts.js';
import { Inbox } from './inbox.repository.js';
import { effectsTable } from '../testing/effects-table.js';
import { subscriptionOf } from '../testing/one-subscriber.js';

// Seven processes start one after another in one of these tests.
const timeoutMs = 90_000;
const dying = resolve('dist/libs/messaging/src/testing/dying-subscriber-process.js');
const item = (to: string, emailId = newId()) => ({
  emailId,
  to,
  at: new Date(),
  sourceType: 'TRANSACTIONAL' as const,
});

interface Letter {
  error: string;
  attempts: number;
  payload: { items: { to: string }[] };
}

describe('a subscriber', () => {
  let nats: TestNats;
  let clone: TestDatabase;
  let line: DatabaseLine;
  let database: Database;
  let beyond: Database;
  let connection: BusConnection;
  let source: EventPublisher;
  const running: EventSubscription[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('subscriber', effectsTable)]);
    line = await DatabaseLine.open(clone.url);
    const options = { poolSize: 4, connectTimeoutMs: 30_000, ...effectsTable };
    database = await openDatabase({ url: clone.url, name: 'subscriber', ...options });
    beyond = await openDatabase({ url: line.url, name: 'beyond', ...options });
    connection = await BusConnection.open({ url: nats.url, name: 'subscriber' });
    source = await EventPublisher.start(connection);
  }, timeoutMs);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  }, timeoutMs);
  afterAll(async () => {
    await source.stop();
    await connection.close();
    await Promise.all([database.close(), beyond.close()]);
    await line.close();
    await Promise.all([clone.drop(), nats.stop()]);
  }, timeoutMs);

  const subscribe = (
    durable: string,
    run: (event: DomainEvent<object>) => Promise<void>,
    timeouts: Timeouts = {},
    on = database,
    relevance: Relevance & { interests?: Interests } = {},
  ) => {
    const options = {
      connection,
      inbox: new Inbox(on),
      contract: emailEvents.delivered,
      name: durable,
      run,
      ...relevance,
    };
    const subscription = subscriptionOf({ ...options, timeouts: { redeliveryMs: [5], ...timeouts } });
    running.push(subscription);
    subscription.start();
  };
  const publish = (to: string, emailId?: string) =>
    source.publish(emailEvents.delivered, newId(), [item(to, emailId)]);
  const addresses = (events: DomainEvent<object>[]) =>
    events.flatMap(({ items }) => (items as { to: string }[]).map(({ to }) => to)).sort();
  const lettersOf = (durable: string) =>
    database.query<Letter>(`SELECT error, attempts, payload FROM dead_letters WHERE subscriber = $1`, [
      durable,
    ]);
  const letterOf = (durable: string) =>
    eventually(
      async () => {
        const [letter, ...more] = await lettersOf(durable);
        expect(more).toEqual([]);
        return letter;
      },
      'the dead letter',
      60_000,
    );

  it(
    'gets every item once, also when everything is published again',
    async () => {
      const received: DomainEvent<object>[] = [];
      subscribe('spec-once', async (event) => void received.push(event));
      const wanted = Array.from(
        { length: 40 },
        (_, index) => `reader-${String(index).padStart(2, '0')}@x.test`,
      );
      for (const to of wanted) await publish(to);
      await eventually(async () => addresses(received).length >= wanted.length, 'all heard');
      await source.repeatAll();
      await source.taken('spec-once');
      expect(addresses(received)).toEqual(wanted);
    },
    timeoutMs,
  );

  it(
    'acknowledges what cannot concern it without a row in the inbox',
    async () => {
      const received: DomainEvent<object>[] = [];
      const run = async (event: DomainEvent<object>) => void received.push(event);
      const concerns = (item: object) => (item as { to: string }).to.startsWith('wanted');
      subscribe('spec-concerns', run, {}, database, { concerns });
      for (const to of ['other@x.test', 'wanted-1@x.test', 'other@x.test', 'wanted-2@x.test'])
        await publish(to);
      await source.taken('spec-concerns');
      expect(addresses(received)).toEqual(['wanted-1@x.test', 'wanted-2@x.test']);
      expect(await database.query(`SELECT 1 FROM inbox WHERE subscriber = 'spec-concerns'`)).toHaveLength(2);
    },
    timeoutMs,
  );

  it(
    'passes over what nobody asks for when it comes, also when it is published again after somebody does',
    async () => {
      const received: DomainEvent<object>[] = [];
      const asked = new Set(['key wanted@x.test']);
      class Asked extends Interests {
        async among(interests: readonly Interest[]): Promise<readonly Interest[]> {
          return interests.filter(({ key }) => asked.has(key));
        }
      }
      const interestOf = (item: object) => `key ${(item as { to: string }).to}`;
      const run = async (event: DomainEvent<object>) => void received.push(event);
      const relevance = { interestOf, interests: new Asked() };
      subscribe('spec-interest', run, {}, database, relevance);
      for (const to of ['early@x.test', 'wanted@x.test', 'early@x.test']) await publish(to);
      await source.taken('spec-interest');
      asked.add('key early@x.test');
      await source.repeatAll();
      await source.taken('spec-interest');
      expect(addresses(received)).toEqual(['wanted@x.test']);
      await publish('early@x.test');
      await source.taken('spec-interest');
      expect(addresses(received)).toEqual(['early@x.test', 'wanted@x.test']);
    },
    timeoutMs,
  );

  it(
    'shares a transaction with the others of its service, and does not suffer from one that fails',
    async () => {
      const subscriber = (name: string, contract: EventContract, fails = false) =>
        new Subscriber({
          name: `spec-shared-${name}`,
          contract,
          inbox: new Inbox(database),
          timeouts: { redeliveryMs: [5] },
          run: async (event) => {
            if (fails && addresses([event]).includes('poison@x.test')) throw new Error('cannot take this');
            const ids = (event.items as { emailId: string }[]).map(({ emailId }) => emailId);
            await database.query(`INSERT INTO effects SELECT $1, unnest($2::uuid[])`, [name, ids]);
          },
        });
      const subscription = new EventSubscription({
        connection,
        inbox: new Inbox(database),
        owner: 'sending',
        durable: 'spec-shared',
        subscribers: [
          subscriber('good', emailEvents.bounced),
          subscriber('bad', emailEvents.bounced, true),
          subscriber('other', emailEvents.complained),
        ],
      });
      running.push(subscription);
      subscription.start();
      const [sound, poison, late, complaint] = Array.from({ length: 4 }, () => newId()) as [
        string,
        string,
        string,
        string,
      ];
      const publishBounce = (to: string, emailId: string) =>
        source.publish(emailEvents.bounced, newId(), [
          { ...item(to, emailId), bounceType: 'Permanent', reason: 'gone' } as EmailBounced,
        ]);
      await publishBounce('sound@x.test', sound);
      await publishBounce('poison@x.test', poison);
      await publishBounce('late@x.test', late);
      await source.publish(emailEvents.complained, newId(), [item('complaint@x.test', complaint)]);
      expect(await letterOf('spec-shared-bad')).toMatchObject({ attempts: 5 });
      await source.taken('spec-shared');
      const effectsOf = async (name: string) =>
        (
          await database.query<{ id: string }>(`SELECT email_id AS id FROM effects WHERE durable = $1`, [
            name,
          ])
        ).map(({ id }) => id);
      expect((await effectsOf('good')).toSorted()).toEqual([sound, poison, late].toSorted());
      expect((await effectsOf('bad')).toSorted()).toEqual([sound, late].toSorted());
      expect(await effectsOf('other')).toEqual([complaint]);
    },
    timeoutMs,
  );

  it(
    'handles an event once that is twice in one batch',
    async () => {
      const [event, other] = [{ id: newId() }, { id: newId() }];
      const taken: { id: string }[] = [];
      const inbox = new Inbox(database);
      for (const batch of [
        [event, other, event],
        [other, event, event],
      ])
        await inbox.once([
          {
            subscriber: 'spec-twins',
            events: batch,
            effect: async (fresh) => void (await Promise.resolve(taken.push(...fresh))),
          },
        ]);
      expect(taken).toEqual([event, other]);
    },
    timeoutMs,
  );

  it.each([
    ['throws', 'cannot take this', {}, 6, () => Promise.reject(new Error('cannot take this'))],
    // The limit is that of the whole transaction: it can be over before the handler is called.
    [
      'hangs',
      'the transaction took longer than 1500 ms',
      { handlerMs: 1_500 },
      1,
      () => new Promise<void>(() => undefined),
    ],
  ])(
    'makes a dead letter of an event that %s after five attempts alone, and handles all others',
    async (how, error, timeouts, fewestTries, poisoned) => {
      const [durable, poison] = [`spec-${how}`, `${how}@x.test`];
      const received: DomainEvent<object>[] = [];
      let tries = 0;
      const run = async (event: DomainEvent<object>) => {
        if (addresses([event]).includes(poison)) {
          tries += 1;
          await poisoned();
        }
        received.push(event);
      };
      subscribe(durable, run, timeouts);
      for (const to of [`before-${how}@x.test`, poison, `after-${how}@x.test`]) await publish(to);
      expect(await letterOf(durable)).toMatchObject({
        error,
        attempts: 5,
        payload: { items: [{ to: poison }] },
      });
      expect(tries).toBeGreaterThanOrEqual(fewestTries);
      expect(tries).toBeLessThanOrEqual(6);
      for (const other of ['before', 'after'])
        await eventually(async () => addresses(received).includes(`${other}-${how}@x.test`), other);
      await eventually(
        async () => (await database.query('SELECT 1 FROM event_tries')).length === 0,
        'no try is left',
      );
    },
    timeoutMs,
  );

  it('that could not end a try of an event, which another replica then handles, leaves nothing behind', async () => {
    const inbox = new Inbox(database);
    const [handled, waiting] = [newId(), newId()];
    await inbox.once([
      { subscriber: 'spec-elsewhere', events: [{ id: handled }], effect: async () => undefined },
    ]);
    for (const id of [handled, waiting]) await inbox.beginTry('spec-elsewhere', id);
    await inbox.deleteOld(7);
    expect(await database.query('SELECT event_id FROM event_tries')).toEqual([{ event_id: waiting }]);
    await database.query('DELETE FROM event_tries');
  });

  it(
    'makes a dead letter of an event that kills its process, and of no other',
    async () => {
      const poison = newId();
      const others = Array.from({ length: 60 }, () => newId());
      for (const emailId of others.slice(0, 30)) await publish('a@x.test', emailId);
      await publish('killer@x.test', poison);
      for (const emailId of others.slice(30)) await publish('b@x.test', emailId);
      const effects = () =>
        database.query<{ email_id: string }>(`SELECT email_id FROM effects WHERE durable = 'spec-dying'`);
      let deaths = 0;
      let child = spawn(process.execPath, [dying, clone.url, nats.url, poison], { stdio: 'ignore' });
      const watch = (async () => {
        for (;;) {
          const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
          if (signal !== 'SIGKILL' || deaths > 20) return;
          deaths += 1;
          child = spawn(process.execPath, [dying, clone.url, nats.url, poison], { stdio: 'ignore' });
        }
      })();
      try {
        expect(await letterOf('spec-dying')).toMatchObject({
          error: 'its handler never finished',
          payload: { items: [{ to: 'killer@x.test' }] },
        });
        await eventually(
          async () =>
            others.every(
              (
                (taken) => (id) =>
                  taken.has(id)
              )(new Set((await effects()).map((row) => row.email_id))),
            ),
          'the others',
        );
        expect(deaths).toBeLessThanOrEqual(6);
        const taken = (await effects()).map((row) => row.email_id);
        expect(new Set(taken).size).toBe(taken.length);
      } finally {
        child.kill('SIGTERM');
        await watch;
      }
    },
    timeoutMs,
  );

  it(
    'counts no attempt while Postgres is away',
    async () => {
      const received: DomainEvent<object>[] = [];
      subscribe('spec-away', async (event) => void received.push(event), { ackWaitMs: 200 }, beyond);
      await publish('present@x.test');
      await eventually(async () => addresses(received).includes('present@x.test'), 'it hears');
      await source.taken('spec-away');
      line.cut();
      await publish('late@x.test');
      const manager = await jetstreamManager(connection.nats);
      const before = (await manager.consumers.info('EVENTS_SENDING', 'spec-away')).delivered.consumer_seq;
      await eventually(async () => {
        const { delivered } = await manager.consumers.info('EVENTS_SENDING', 'spec-away');
        return delivered.consumer_seq > before + 8;
      }, 'it was delivered more often than it may be tried');
      line.fix();
      await eventually(async () => addresses(received).includes('late@x.test'), 'it is taken in');
      expect(await lettersOf('spec-away')).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'continues after a message that is no event',
    async () => {
      const received: DomainEvent<object>[] = [];
      subscribe('spec-garbage', async (event) => void received.push(event));
      const foreign = jetstream(connection.nats);
      for (const payload of ['{', 'null', '{"id":"1"}', '[]'])
        await foreign.publish('events.sending.email.delivered', payload);
      await publish('sound@x.test');
      await eventually(async () => addresses(received).includes('sound@x.test'), 'the sound one');
      await source.taken('spec-garbage');
    },
    timeoutMs,
  );
});

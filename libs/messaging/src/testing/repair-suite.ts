import { expect } from '@jest/globals';
import { jetstreamManager, type ConsumerInfo } from '@nats-io/jetstream';
import { emailEvents } from '@posthorn/contracts';
import { DatabaseClock, newId, openDatabase, type Database } from '@posthorn/database';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { BusConnection } from '../calls/connection.js';
import type { EventSubscription } from '../events/event-subscription.js';
import type { DomainEvent } from '../calls/handlers.js';
import { Inbox } from '../events/inbox.repository.js';
import { usualStreams } from '../events/stream-settings.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { Outbox } from '../outbox/outbox.repository.js';
import { OutboxRelayRepository } from '../outbox/outbox-relay.repository.js';
import { effectsTable } from './effects-table.js';
import { subscriptionOf } from './one-subscriber.js';

interface TestServers {
  url: string;
  stop(): Promise<void>;
}

export const stream = 'EVENTS_SENDING';
export const durables = ['spec-one', 'spec-two'];

const nameOf = ({ subscribers }: EventSubscription): string => subscribers[0]!.name;

/** Two replicas of a service that publishes events, and two subscribers that count every event they handle. */
export class RepairSuite<Nats extends TestServers = TestNats> {
  readonly outbox: Outbox;
  /** Over all tests: what one of them does must not bring back what another one published. */
  readonly reported: string[] = [];
  private relays: OutboxRelay[] = [];
  private subscriptions: EventSubscription[] = [];

  private constructor(
    readonly nats: Nats,
    private readonly clone: TestDatabase,
    readonly database: Database,
    private readonly replicas: BusConnection[],
    readonly connection: BusConnection,
  ) {
    this.outbox = new Outbox(database);
  }

  static start(): Promise<RepairSuite> {
    return RepairSuite.on(startTestNats());
  }

  static async on<Nats extends TestServers>(
    servers: Promise<Nats>,
    streams = usualStreams,
  ): Promise<RepairSuite<Nats>> {
    const [nats, clone] = await Promise.all([servers, cloneDatabase('repair', effectsTable)]);
    const database = await openDatabase({
      url: clone.url,
      name: 'repair',
      poolSize: 10,
      connectTimeoutMs: 30_000,
      ...effectsTable,
    });
    const connect = (name: string) => BusConnection.open({ url: nats.url, name, streams });
    const replicas = await Promise.all(['relay-1', 'relay-2'].map(connect));
    return new RepairSuite(nats, clone, database, replicas, await connect('subscribers'));
  }

  async stop(): Promise<void> {
    await this.stopSubscribers();
    await this.stopRelays();
    await this.disconnect();
    await this.database.close();
    await Promise.all([this.clone.drop(), this.nats.stop()]);
  }

  async disconnect(): Promise<void> {
    await Promise.all([...this.replicas, this.connection].map((each) => each.close()));
  }

  relayRepository(): OutboxRelayRepository {
    return new OutboxRelayRepository(this.database, 'sending');
  }

  /** Two replicas of the owner, each with a connection of its own. */
  startRelays(): void {
    if (this.relays.length > 0) return;
    const { database } = this;
    const clock = new DatabaseClock(database);
    this.relays = this.replicas.map(
      (connection) =>
        new OutboxRelay({
          service: 'sending',
          database,
          relayRepository: this.relayRepository(),
          connection,
          clock,
        }),
    );
    for (const relay of this.relays) relay.start();
  }

  async stopRelays(): Promise<void> {
    await Promise.all(this.relays.splice(0).map((relay) => relay.stop()));
  }

  startSubscribers(): void {
    const { database, connection } = this;
    const missing = durables.filter((name) => !this.subscriptions.some((each) => nameOf(each) === name));
    for (const durable of missing) {
      const run = async ({ items }: DomainEvent<object>) => {
        const ids = (items as { emailId: string }[]).map(({ emailId }) => emailId);
        await database.query(`INSERT INTO effects SELECT $1, unnest($2::uuid[])`, [durable, ids]);
      };
      const inbox = new Inbox(database);
      const contract = emailEvents.delivered;
      const subscription = subscriptionOf({ connection, inbox, contract, name: durable, run });
      this.subscriptions.push(subscription);
      subscription.start();
    }
  }

  async stopSubscribers(name?: string): Promise<void> {
    const stopping = this.subscriptions.filter((each) => !name || nameOf(each) === name);
    this.subscriptions = this.subscriptions.filter((each) => !stopping.includes(each));
    await Promise.all(stopping.map((each) => each.stop()));
  }

  async publish(events: number): Promise<void> {
    for (let count = 0; count < events; count += 1) {
      const emailId = newId();
      this.reported.push(emailId);
      await this.outbox.publish(emailEvents.delivered, newId(), [
        { emailId, to: 'a@x.test', at: new Date(), sourceType: 'TRANSACTIONAL' },
      ]);
    }
  }

  async waiting(): Promise<number> {
    const [row] = await this.database.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM outbox WHERE published_at IS NULL`,
    );
    return row!.waiting;
  }

  /** Rows are locked until they are acknowledged. */
  async isPublishing(): Promise<boolean> {
    const [row] = await this.database.query<{ locked: boolean }>(
      `SELECT count(*) < $1 AS locked FROM (SELECT FROM outbox WHERE published_at IS NULL FOR UPDATE SKIP LOCKED) AS free`,
      [await this.waiting()],
    );
    return row!.locked;
  }

  published(): Promise<true> {
    return eventually(async () => {
      const [row] = await this.database.query<{ left: number }>(
        `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM event_repeats) AS left`,
      );
      return row!.left === 0;
    }, 'everything is published');
  }

  takenBy(durable: string): Promise<true> {
    return eventually(
      async () => (await this.effectsOf(durable)).length >= this.reported.length,
      `${durable} hears everything`,
      60_000,
    );
  }

  async findConsumer(durable: string): Promise<ConsumerInfo> {
    const manager = await jetstreamManager(this.connection.nats, { checkAPI: false });
    return manager.consumers.info(stream, durable);
  }

  /** Everything once: also after whatever still repeats has been taken in. */
  async expectEachOnce(): Promise<void> {
    for (const durable of durables) await this.takenBy(durable);
    await this.published();
    for (const durable of durables) {
      await eventually(
        async () => {
          const info = await this.findConsumer(durable).catch(() => null);
          return info && info.num_pending + info.num_ack_pending === 0;
          // An acknowledgement that was lost with a server is missed for half a minute.
        },
        `${durable} has nothing left`,
        60_000,
      );
      expect(await this.effectsOf(durable)).toEqual([...this.reported].sort());
    }
  }

  private async effectsOf(durable: string): Promise<string[]> {
    const rows = await this.database.query<{ email_id: string }>(
      'SELECT email_id FROM effects WHERE durable = $1 ORDER BY email_id',
      [durable],
    );
    return rows.map(({ email_id }) => email_id);
  }
}

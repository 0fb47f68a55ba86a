import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { serviceNames, streamOf, type EventContract, type ServiceName } from '@posthorn/contracts';
import { baselineOf, DatabaseClock, openDatabase, type Database } from '@posthorn/database';
import {
  messagingTables,
  Outbox,
  OutboxRelay,
  OutboxRelayRepository,
  type BusConnection,
} from '@posthorn/messaging';
import { eventually } from './eventually.js';
import { cloneDatabase, type TestDatabase } from './test-servers.js';

const parts = { entities: [], migrations: [baselineOf('Publisher', [messagingTables])] };

/** Publishes events of a service (sending by default) through a real outbox and relay. */
export class EventPublisher {
  private readonly outbox: Outbox;
  private readonly relayRepository: OutboxRelayRepository;
  private readonly relay: OutboxRelay;

  private constructor(
    private readonly service: ServiceName,
    private readonly clone: TestDatabase,
    private readonly database: Database,
    private readonly manager: JetStreamManager,
    connection: BusConnection,
  ) {
    this.outbox = new Outbox(database);
    this.relayRepository = new OutboxRelayRepository(database, service);
    const { relayRepository } = this;
    this.relay = new OutboxRelay({
      service,
      database,
      relayRepository,
      connection,
      clock: new DatabaseClock(database),
    });
    this.relay.start();
  }

  static async start(connection: BusConnection, service: ServiceName = 'sending'): Promise<EventPublisher> {
    const clone = await cloneDatabase('event_source', parts);
    const database = await openDatabase({
      url: clone.url,
      name: 'event-source',
      poolSize: 8,
      connectTimeoutMs: 30_000,
      ...parts,
    });
    return new EventPublisher(service, clone, database, await jetstreamManager(connection.nats), connection);
  }

  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: Item[],
  ): Promise<void> {
    await this.outbox.publish(event, projectId, items);
  }

  /** Everything that was published of a project, in one snapshot. */
  published(projectId: string): Promise<{ id: string; name: string; items: Record<string, unknown>[] }[]> {
    return this.database.query(
      `SELECT id, event_name AS name, items FROM outbox WHERE project_id = $1 ORDER BY id`,
      [projectId],
    );
  }

  /** Deletes the stream, so that everything is published again; resolves when the relay has noticed. */
  async repeatAll(): Promise<void> {
    const generation = async () => (await this.relayRepository.known())?.generation ?? 0;
    const before = await generation();
    await this.manager.streams.delete(streamOf(this.service));
    await eventually(async () => (await generation()) > before, 'the relay notices that its stream is gone');
  }

  /** Waits until the subscriber has no pending events: those of a service share a consumer. */
  async taken(subscriber: string): Promise<void> {
    const durable = serviceNames.find((service) => subscriber.startsWith(`${service}-`)) ?? subscriber;
    await eventually(async () => {
      const [row] = await this.database.query<{ waiting: number }>(
        `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM event_repeats) AS waiting`,
      );
      const info =
        row!.waiting === 0
          ? await this.manager.consumers.info(streamOf(this.service), durable).catch(() => null)
          : null;
      return info && info.num_pending + info.num_ack_pending === 0 ? info : null;
    }, `${subscriber} processes everything`);
  }

  async stop(): Promise<void> {
    await this.relay.stop();
    await this.database.close();
    await this.clone.drop();
  }
}

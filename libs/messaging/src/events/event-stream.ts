import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  jetstreamManager,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { eventsOf, streamOf, type ServiceName } from '@posthorn/contracts';

export const streamDays = 7;
const dayMs = 86_400_000;
const defaultAckWaitMs = 30_000;

const managerOf = (nats: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nats, { timeout: 5_000, checkAPI: false });

/** Creates the stream where it is missing: NATS may lose its store, and Postgres publishes again. */
export async function ensureStream(nats: NatsConnection, owner: ServiceName): Promise<StreamInfo> {
  const manager = await managerOf(nats);
  const name = streamOf(owner);
  const known = await manager.streams.info(name).catch(nullWhere(JetStreamApiCodes.StreamNotFound));
  if (known) return known;
  return manager.streams.add({
    name,
    subjects: [eventsOf(owner)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(streamDays * dayMs),
    duplicate_window: nanos(120_000),
  });
}

/** A durable pull consumer of all events of a stream: nats-server 2.9 allows one filter subject. */
export async function ensureConsumer(
  nats: NatsConnection,
  owner: ServiceName,
  durable: string,
  ackWaitMs = defaultAckWaitMs,
): Promise<ConsumerInfo> {
  await ensureStream(nats, owner);
  const { consumers } = await managerOf(nats);
  const stream = streamOf(owner);
  const wanted = {
    durable_name: durable,
    filter_subject: eventsOf(owner),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 512,
  };
  const known = await consumers.info(stream, durable).catch(nullWhere(JetStreamApiCodes.ConsumerNotFound));
  if (!known) return consumers.add(stream, wanted);
  if (!differs(known.config, wanted)) return known;
  try {
    return await consumers.update(stream, durable, wanted);
  } catch {
    // Settings that cannot be changed need a new consumer; the inbox deduplicates what it gets again.
    await consumers.delete(stream, durable);
    return consumers.add(stream, wanted);
  }
}

export async function listConsumers(
  nats: NatsConnection,
  owner: ServiceName,
): Promise<Map<string, ConsumerInfo>> {
  const { consumers } = await managerOf(nats);
  const found = new Map<string, ConsumerInfo>();
  try {
    for await (const info of consumers.list(streamOf(owner))) found.set(info.name, info);
  } catch (error) {
    nullWhere(JetStreamApiCodes.StreamNotFound)(error);
  }
  return found;
}

function differs(known: ConsumerConfig, wanted: Partial<ConsumerConfig>): boolean {
  return Object.entries(wanted).some(([name, value]) => known[name as keyof ConsumerConfig] !== value);
}

function nullWhere(...expected: number[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof JetStreamApiError && expected.includes(error.code)) return null;
    throw error;
  };
}

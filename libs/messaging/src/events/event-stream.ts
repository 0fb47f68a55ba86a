import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  jetstreamManager,
  type ConsumerInfo,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { randomUUID } from 'node:crypto';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { eventsOf, streamOf, type ServiceName } from '@posthorn/contracts';
import type { BusConnection } from '../calls/connection.js';
import type { StreamSettings } from './stream-settings.js';

const hourMs = 3_600_000;
const defaultAckWaitMs = 30_000;
/** JSStreamNameExistErr of nats-server: somebody else was first, and gave it another identity. */
const nameInUse = 10_058;

const managerOf = (nats: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(nats, { timeout: 5_000, checkAPI: false });

/** Replicas of a stream have different times of creation; what it describes itself with is the same in all of them. */
export const identityOf = ({ config }: StreamInfo): string => config.description ?? '';

const newIdentity = (): string =>
  `Posthorn knows this stream by ${randomUUID()}: another text means another stream`;

/** Creates the stream where it is missing: NATS may lose its store, and Postgres publishes again. */
export async function ensureStream(connection: BusConnection, owner: ServiceName): Promise<StreamInfo> {
  const { streams } = await managerOf(connection.nats);
  const name = streamOf(owner);
  const known = await streams.info(name).catch(nullWhere(JetStreamApiCodes.StreamNotFound));
  if (known) return known;
  const { replicas, retentionHours } = connection.streams;
  const wanted = {
    name,
    description: newIdentity(),
    subjects: [eventsOf(owner)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_age: nanos(retentionHours * hourMs),
    duplicate_window: nanos(120_000),
  };
  await streams.add(wanted).catch(nullWhere(nameInUse));
  return streams.info(name);
}

/** For the owner of a stream, which may have been made with other settings. Its durable consumers follow it. */
export async function adjustStream(connection: BusConnection, info: StreamInfo): Promise<StreamInfo> {
  const { config } = info;
  const wanted = { ...config, ...adjusted(config, connection.streams) };
  if (!differs(config, wanted)) return info;
  const { streams } = await managerOf(connection.nats);
  return streams.update(config.name, wanted);
}

/** Fewer replicas would be taken away from whoever added them by hand. */
const adjusted = (
  { description, num_replicas: now }: StreamConfig,
  { replicas, retentionHours }: StreamSettings,
) => ({
  description: description || newIdentity(),
  num_replicas: Math.max(now, replicas),
  max_age: nanos(retentionHours * hourMs),
});

/** A durable pull consumer of all events of a stream: nats-server 2.9 allows one filter subject. */
export async function ensureConsumer(
  connection: BusConnection,
  owner: ServiceName,
  durable: string,
  ackWaitMs = defaultAckWaitMs,
): Promise<ConsumerInfo> {
  await ensureStream(connection, owner);
  const { consumers } = await managerOf(connection.nats);
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
  { nats }: BusConnection,
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

function differs<Config extends object>(known: Config, wanted: Partial<Config>): boolean {
  return Object.entries(wanted).some(([name, value]) => known[name as keyof Config] !== value);
}

function nullWhere(...expected: number[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof JetStreamApiError && expected.includes(error.code)) return null;
    throw error;
  };
}

import { AckPolicy, DeliverPolicy, RetentionPolicy, StorageType, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { FactContract, ServiceName } from '@posthorn/contracts';

const dayMs = 86_400_000;

/** Redelivery waits 1 s … 10 min, then the fact is a dead letter (guarantees.md §4). */
export const redeliveryMs = [1_000, 5_000, 30_000, 120_000, 600_000];
export const maxDeliveries = 6;
const ackWaitMs = 30_000;

export const streamOf = (owner: ServiceName): string => `FACTS_${owner.toUpperCase()}`;
export const factSubject = (name: string): string => `facts.${name}`;

/** Makes the owner's stream where it is missing: it can vanish with NATS's store, and Postgres publishes again. */
export async function ensureStream(nats: NatsConnection, owner: ServiceName): Promise<JetStreamManager> {
  const manager = await jetstreamManager(nats, { timeout: 5_000 });
  const name = streamOf(owner);
  try {
    await manager.streams.info(name);
  } catch {
    await manager.streams.add({
      name,
      subjects: [`facts.${owner}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_age: nanos(7 * dayMs),
      duplicate_window: nanos(120_000),
    });
  }
  return manager;
}

/** Makes the durable pull consumer of one subscriber; one filter subject each, as nats-server 2.9 allows. */
export async function ensureConsumer(nats: NatsConnection, contract: FactContract, durable: string): Promise<void> {
  const manager = await ensureStream(nats, contract.owner);
  await manager.consumers.add(streamOf(contract.owner), {
    durable_name: durable,
    filter_subject: factSubject(contract.name),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 512,
  });
}

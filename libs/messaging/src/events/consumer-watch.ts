import type { ConsumerInfo } from '@nats-io/jetstream';
import type { ServiceName } from '@posthorn/contracts';
import type { BusConnection } from '../calls/connection.js';
import { Loop } from '../loop.js';
import { listConsumers } from './event-stream.js';

const checkEveryMs = 5_000;

export interface WatchedConsumer {
  owner: ServiceName;
  durable: string;
  onCheck: (consumer: ConsumerInfo | null) => void;
}

/** One request for each stream: at rest one for each consumer would be most of the load. */
export class ConsumerWatch {
  private readonly watched = new Set<WatchedConsumer>();
  private loop: Loop | null = null;

  constructor(private readonly connection: BusConnection) {}

  watch(consumer: WatchedConsumer): () => Promise<void> {
    this.watched.add(consumer);
    this.loop ??= this.started();
    return async () => {
      this.watched.delete(consumer);
      if (this.watched.size > 0) return;
      const loop = this.loop;
      this.loop = null;
      await loop?.stop();
    };
  }

  private started(): Loop {
    const loop = new Loop({ everyMs: checkEveryMs, work: () => this.check(), onError: () => undefined });
    loop.start();
    return loop;
  }

  private async check(): Promise<void> {
    if (!this.connection.connected) return;
    // Taken before the request: a consumer that is created meanwhile may be missing in the answer.
    const byOwner = Map.groupBy(this.watched, ({ owner }) => owner);
    await Promise.all([...byOwner].map(([owner, consumers]) => this.checkStream(owner, consumers)));
  }

  private async checkStream(owner: ServiceName, consumers: readonly WatchedConsumer[]): Promise<void> {
    const found = await listConsumers(this.connection, owner);
    for (const consumer of consumers)
      if (this.watched.has(consumer)) consumer.onCheck(found.get(consumer.durable) ?? null);
  }
}

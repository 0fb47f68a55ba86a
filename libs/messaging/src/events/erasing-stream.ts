import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { streamOf, unavailable, type ServiceName } from '@posthorn/contracts';
import type { BusConnection } from '../calls/connection.js';
import { ensureStream, streamDays } from './event-stream.js';
import { encode, readEvent, type WireEvent } from '../calls/frames.js';

const dayMs = 86_400_000;
const fetchMs = 5_000;

/** How far a look at the stream came; `last` is its end when the look began. */
export interface StreamPosition {
  after: number;
  last: number;
}

/** The copies of a service's events that NATS keeps. */
export class ErasingStream {
  private readonly name: string;

  constructor(
    private readonly service: ServiceName,
    private readonly connection: BusConnection,
  ) {
    this.name = streamOf(service);
  }

  async begin(): Promise<StreamPosition> {
    const { state } = await ensureStream(this.reachable(), this.service);
    return { after: state.first_seq - 1, last: state.last_seq };
  }

  /**
   * Looks at the next messages. What `rewrite` says otherwise is told once more as it is now said, for whoever has not heard it, and then
   * overwritten in the store; null leaves it alone. Answers how far it came, and null at the end.
   */
  async next(
    { after, last }: StreamPosition,
    most: number,
    rewrite: (text: string) => WireEvent | null,
  ): Promise<StreamPosition | null> {
    if (after >= last) return null;
    const consumer = await jetstream(this.reachable()).consumers.get(this.name, { opt_start_seq: after + 1 });
    try {
      const { num_pending: pending } = await consumer.info();
      // Nothing at all would be waited for.
      if (pending === 0) return null;
      let reached = after;
      for await (const message of await consumer.fetch({
        max_messages: Math.min(most, pending),
        expires: fetchMs,
      })) {
        reached = message.seq;
        const event = rewrite(message.string());
        if (event) await this.replace(message.seq, message.subject, event);
        if (message.info.pending === 0 || reached >= last) return null;
      }
      return { after: reached, last };
    } finally {
      await consumer.delete().catch(() => false);
    }
  }

  /** Told before it is overwritten: a crash between the two tells it twice, and the inbox knows it. What is too old to be in a stream is not told. */
  private async replace(sequence: number, subject: string, event: WireEvent): Promise<void> {
    const nats = this.reachable();
    if (Date.now() - new Date(event.at).getTime() < streamDays * dayMs)
      await jetstream(nats).publish(subject, encode(JSON.stringify(event)), {
        msgID: `${event.id} without ${sequence}`,
      });
    const manager = await jetstreamManager(nats, { checkAPI: false });
    await manager.streams.deleteMessage(this.name, sequence, true);
  }

  private reachable() {
    if (!this.connection.connected) throw unavailable('NATS is away');
    return this.connection.nats;
  }
}

/** For `next`: what a message tells, where it is a fact. */
export const eventOf = (text: string): WireEvent | null => readEvent(encode(text));

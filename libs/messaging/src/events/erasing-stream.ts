import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { streamOf, unavailable, type ServiceName } from '@posthorn/contracts';
import type { BusConnection } from '../calls/connection.js';
import { ensureStream } from './event-stream.js';
import { streamDays } from './stream-settings.js';
import { encode, readEvent, type WireEvent } from '../calls/frames.js';

const dayMs = 86_400_000;
const fetchMs = 5_000;

export interface StreamPosition {
  after: number;
  last: number;
}

export class ErasingStream {
  private readonly name: string;

  constructor(
    private readonly service: ServiceName,
    private readonly connection: BusConnection,
  ) {
    this.name = streamOf(service);
  }

  async begin(): Promise<StreamPosition> {
    this.reachable();
    const { state } = await ensureStream(this.connection, this.service);
    return { after: state.first_seq - 1, last: state.last_seq };
  }

  /** What `rewrite` changes is published again, for subscribers that have not seen it, and then overwritten.
   * Returns the new position, or null at the end. */
  async next(
    { after, last }: StreamPosition,
    most: number,
    rewrite: (text: string) => WireEvent | null,
  ): Promise<StreamPosition | null> {
    if (after >= last) return null;
    const consumer = await jetstream(this.reachable()).consumers.get(this.name, { opt_start_seq: after + 1 });
    try {
      const { num_pending: pending } = await consumer.info();
      // Without pending messages the fetch would wait for its timeout.
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

  /** Published first: a crash in between publishes it twice, which the inbox detects. Events older than the
   * stream are not published. */
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

export const eventOf = (text: string): WireEvent | null => readEvent(encode(text));

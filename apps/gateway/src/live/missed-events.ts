import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { eventIdInFuture, eventIdTooOld, type WebhookEventType } from '@posthorn/contracts';
import type { Surface } from '../routes/route-request.js';
import { FollowedStreams, followedOwners } from './followed-streams.js';
import { textOf } from './live-channel.js';
import { maxUnread, type LiveConnection } from './live-connection.js';
import { EventIds } from './project-stream.js';
import { decodePosition, encodePosition, type Place, type StreamPosition } from './stream-position.js';
import { ToldEvents, typeOf } from './told-events.js';

/** Readers for whom old events are read at once: each reads whole streams. */
const atOnce = 4;
const pauseMs = 20;

export interface Missed {
  projectId: string;
  surface: Surface;
  types: readonly WebhookEventType[] | undefined;
  from: StreamPosition;
  to: StreamPosition;
}

/** The events between the last one that a reader has seen and those that it gets as they happen. */
@Injectable()
export class MissedEvents {
  private reading = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly streams: FollowedStreams,
    private readonly events: ToldEvents,
  ) {}

  /** Of an id; throws if nothing can be resumed from it. */
  async positionOf(projectId: string, lastId: string): Promise<StreamPosition> {
    const position = decodePosition(projectId, lastId, followedOwners.length);
    const states = await this.streams.states();
    position.forEach(({ epoch, sequence, items }, index) => {
      const { first, last, ...now } = states[index]!;
      if (epoch !== now.epoch) throw eventIdTooOld();
      if (sequence > last || (items > 0 && sequence === last)) throw eventIdInFuture();
      if (sequence < first - 1) throw eventIdTooOld();
    });
    return position;
  }

  /** Stream after stream; between streams events have no order. */
  async write(missed: Missed, connection: LiveConnection, signal: AbortSignal): Promise<void> {
    await this.turn();
    try {
      const position = missed.from.map((place) => ({ ...place }));
      for (const index of followedOwners.keys())
        await this.writeStream(missed, index, position, connection, signal);
    } finally {
      this.reading -= 1;
      this.waiting.shift()?.();
    }
  }

  private async writeStream(
    { projectId, surface, types, to }: Missed,
    index: number,
    position: Place[],
    connection: LiveConnection,
    signal: AbortSignal,
  ): Promise<void> {
    const { sequence: after, items: taken } = position[index]!;
    const last = to[index]!.sequence;
    for await (const followed of this.streams.between(index, after, last, signal)) {
      const type = typeOf(followed);
      const isTold = type && followed.event.projectId === projectId && (types?.includes(type) ?? true);
      if (isTold && !followed.isRepeated) {
        const told = await this.events.tell(followed);
        const ids = new EventIds(projectId, position, index, followed.sequence, told.length);
        for (const [item, event] of told.entries()) {
          if (!event || (followed.sequence === after + 1 && item < taken)) continue;
          const id = ids.after(item);
          connection.write(Buffer.from(textOf(surface, event, id)), id);
        }
        while (connection.unread > maxUnread / 2 && !signal.aborted)
          await delay(pauseMs, undefined, { ref: false });
      }
      position[index] = { ...position[index]!, sequence: followed.sequence, items: 0 };
    }
    position[index] = { ...to[index]! };
    if (!connection.ended) connection.lastId = encodePosition(projectId, position);
  }

  private async turn(): Promise<void> {
    if (this.reading >= atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.reading += 1;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookEventType } from '@posthorn/contracts';
import type { FollowedEvent } from '@posthorn/messaging';
import type { Surface } from '../routes/route-request.js';
import { LiveChannel, textOf } from './live-channel.js';
import type { EndReason, LiveConnection } from './live-connection.js';
import { encodePosition, type Place, type StreamPosition } from './stream-position.js';
import { typeOf, type Told, type ToldEvents } from './told-events.js';

/** A service that is looked up something in may be away for a moment. */
const tries = 3;
const tryAgainMs = 1_000;
const maxWaiting = 2_000;

interface Waiting {
  index: number;
  followed: FollowedEvent;
}

/** The readers of a project in this process: each event is told once for all of them, in the order of its stream. */
export class ProjectStream {
  private readonly channels = new Map<string, LiveChannel>();
  private readonly waiting: Waiting[] = [];
  private isTelling = false;
  private told: Place[];

  constructor(
    readonly projectId: string,
    private readonly events: ToldEvents,
    /** Of the process; changes as it reads. */
    private readonly tails: readonly Omit<Place, 'items'>[],
  ) {
    this.told = this.reached();
  }

  get connections(): LiveConnection[] {
    return [...this.channels.values()].flatMap((channel) => [...channel.connections]);
  }

  get size(): number {
    return [...this.channels.values()].reduce((sum, { connections }) => sum + connections.size, 0);
  }

  /** All events up to it are with the channels. */
  get position(): StreamPosition {
    if (!this.isTelling) this.told = this.reached();
    return this.told;
  }

  get id(): string {
    return encodePosition(this.projectId, this.position);
  }

  join(
    connection: LiveConnection,
    surface: Surface,
    types: readonly WebhookEventType[] | undefined,
  ): () => void {
    const key = `${surface} ${types ? [...types].sort().join(',') : ''}`;
    const channel = this.channels.get(key) ?? new LiveChannel(surface, types ? new Set(types) : null);
    this.channels.set(key, channel);
    // What waits in it was before this reader.
    channel.flush();
    channel.connections.add(connection);
    return () => {
      channel.connections.delete(connection);
      if (channel.connections.size === 0) this.channels.delete(key);
    };
  }

  take(index: number, followed: FollowedEvent): void {
    if (this.waiting.length >= maxWaiting) return this.endAll('interrupted');
    this.waiting.push({ index, followed });
    if (this.isTelling) return;
    this.told = this.reached();
    this.told[index] = { ...this.told[index]!, sequence: followed.sequence - 1 };
    void this.tellAll();
  }

  flush(): void {
    for (const channel of this.channels.values()) channel.flush();
  }

  endAll(reason: EndReason): void {
    this.waiting.length = 0;
    this.flush();
    for (const connection of this.connections) connection.end(reason);
  }

  private reached(): Place[] {
    return this.tails.map(({ epoch, sequence }) => ({ epoch, sequence, items: 0 }));
  }

  private async tellAll(): Promise<void> {
    this.isTelling = true;
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        const { index, followed } = next;
        const type = typeOf(followed);
        if (type && this.channelsOf(type).length > 0) {
          const told = await this.tell(followed);
          // Readers that came meanwhile begin before this event.
          this.write(this.channelsOf(type), next, told);
        }
        this.told[index] = { ...this.told[index]!, sequence: followed.sequence, items: 0 };
      }
    } catch {
      // They resume before the event that could not be told.
      this.endAll('interrupted');
    } finally {
      this.isTelling = false;
    }
  }

  private channelsOf(type: WebhookEventType): LiveChannel[] {
    return [...this.channels.values()].filter((channel) => channel.wants(type));
  }

  private async tell(followed: FollowedEvent): Promise<Told> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.events.tell(followed);
      } catch (error) {
        if (attempt === tries) throw error;
        await delay(tryAgainMs, undefined, { ref: false });
      }
    }
  }

  private write(channels: readonly LiveChannel[], { index, followed }: Waiting, told: Told): void {
    const ids = new EventIds(this.projectId, this.told, index, followed.sequence, told.length);
    const surfaces = Map.groupBy(channels, ({ surface }) => surface);
    told.forEach((event, item) => {
      if (!event) return;
      const id = ids.after(item);
      for (const [surface, those] of surfaces) {
        const text = textOf(surface, event, id);
        for (const channel of those) channel.add(text, id);
      }
    });
  }
}

/** The ids of the items of an event: where a reader is who has taken so many of them. */
export class EventIds {
  constructor(
    private readonly projectId: string,
    private readonly position: StreamPosition,
    private readonly index: number,
    private readonly sequence: number,
    private readonly count: number,
  ) {}

  after(item: number): string {
    const isLast = item === this.count - 1;
    const place = { sequence: isLast ? this.sequence : this.sequence - 1, items: isLast ? 0 : item + 1 };
    return encodePosition(
      this.projectId,
      this.position.map((each, index) => (index === this.index ? { ...each, ...place } : each)),
    );
  }
}

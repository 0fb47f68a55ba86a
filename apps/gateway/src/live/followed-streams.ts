import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { busAccess, type ServiceName } from '@posthorn/contracts';
import {
  BusConnection,
  followEvents,
  streamState,
  type FollowedEvent,
  type StreamState,
} from '@posthorn/messaging';

export const followedOwners: readonly ServiceName[] = busAccess.gateway.follows!;

const againMs = 1_000;
/** A page that is reloaded should not begin anew. */
const lingerMs = 30_000;

export interface Follower {
  /** An event of the stream with this index that nobody was given before. */
  onEvent(index: number, followed: FollowedEvent): void;
  /** Positions in the stream mean nothing any more. */
  onRebuilt(): void;
  readonly isIdle: boolean;
}

interface Tail {
  epoch: string;
  sequence: number;
}

/** One consumer of each stream for all readers of the process, while there are readers. */
@Injectable()
export class FollowedStreams {
  private readonly log = new Logger('Stream');
  private running: { abort: AbortController; ready: Promise<Tail[]>; ended: Promise<unknown> } | null = null;
  private timer: NodeJS.Timeout | null = null;
  // Begun by the request of the first reader, and not part of it.
  private readonly start = AsyncLocalStorage.bind((follower: Follower) => this.begin(follower));

  constructor(private readonly connection: BusConnection) {}

  /** Where the streams are, in the order of `followedOwners`; changes as they are read. */
  follow(follower: Follower): Promise<readonly Tail[]> {
    this.running ??= this.start(follower);
    return this.running.ready;
  }

  /** Ends once nobody has read for a while. */
  release(follower: Follower): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      if (follower.isIdle) void this.stop();
    }, lingerMs).unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const running = this.running;
    this.running = null;
    running?.abort.abort();
    await running?.ended;
  }

  states(): Promise<StreamState[]> {
    return Promise.all(followedOwners.map((owner) => streamState(this.connection, owner)));
  }

  /** The events of a stream from a place to another, both given by sequences: without the first, with the second. */
  async *between(index: number, after: number, last: number, signal: AbortSignal) {
    if (after >= last) return;
    const { connection } = this;
    const events = followEvents({ connection, owner: followedOwners[index]!, after, last, signal });
    for await (const followed of events) yield followed;
  }

  private begin(follower: Follower) {
    const abort = new AbortController();
    const ready = this.states().then((states) =>
      states.map(({ epoch, last }): Tail => ({ epoch, sequence: last })),
    );
    ready.catch(() => (this.running = null));
    const ended = ready.then(
      (tails) => Promise.all(tails.map((tail, index) => this.tail(index, tail, follower, abort.signal))),
      () => undefined,
    );
    return { abort, ready, ended };
  }

  private async tail(index: number, tail: Tail, follower: Follower, signal: AbortSignal): Promise<void> {
    const { connection } = this;
    const owner = followedOwners[index]!;
    while (!signal.aborted) {
      try {
        const state = await streamState(connection, owner);
        if (state.epoch !== tail.epoch || state.last < tail.sequence) {
          Object.assign(tail, { epoch: state.epoch, sequence: state.last });
          follower.onRebuilt();
        }
        for await (const followed of followEvents({ connection, owner, after: tail.sequence, signal })) {
          tail.sequence = followed.sequence;
          if (!followed.isRepeated) follower.onEvent(index, followed);
        }
      } catch (error) {
        if (!signal.aborted) this.log.warn(`${(error as Error).message}; it is followed again`);
      }
      await delay(againMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

import type { Readable } from 'node:stream';
import { unavailable } from '@posthorn/contracts';

export interface BudgetOptions {
  /** Bytes of bodies in memory at once; a body that is larger comes in alone. */
  budget: number;
  /** How long a body waits for its place. */
  waitMs?: number;
  /** While others wait, a body that came slower than this, after its grace, loses its place. */
  bytesPerSecond?: number;
  graceMs?: number;
}

/** The place of one body, from before its first byte is read until nothing needs it any more. */
export class Position {
  /** Bytes that have come. */
  received = 0;
  /** The place is lost to those who wait. */
  onLost: () => void = () => undefined;
  readonly since = performance.now();

  constructor(
    readonly size: number,
    readonly free: () => void,
  ) {}
}

interface Waiting {
  size: number;
  admit: () => void;
}

export const clientWentAway = () => unavailable('The client went away');

// The largest send of the slowest that may stay has come before the next one has waited for too long.
const defaults = { waitMs: 20_000, bytesPerSecond: 750_000, graceMs: 2_000 };

/** Bodies in memory within one budget, in the order in which they came. */
export class BodyBudget {
  private used = 0;
  private readonly queue: Waiting[] = [];
  private readonly held = new Set<Position>();
  private readonly options: Required<BudgetOptions>;
  private watch: NodeJS.Timeout | undefined;

  constructor(options: BudgetOptions) {
    this.options = { ...defaults, ...options };
  }

  /** At once where there is room; otherwise in turn, as long as `client` has not closed. */
  take(size: number, client: Readable): Position | Promise<Position> {
    if (this.queue.length > 0 || !this.fits(size)) return this.wait(size, client);
    return this.open(size);
  }

  private fits(size: number): boolean {
    return this.used === 0 || this.used + size <= this.options.budget;
  }

  private open(size: number): Position {
    this.used += size;
    const location: Position = new Position(size, () => {
      if (!this.held.delete(location)) return;
      this.used -= size;
      this.admit();
    });
    this.held.add(location);
    return location;
  }

  private wait(size: number, client: Readable): Promise<Position> {
    // It has closed already, and will not say so again.
    if (client.destroyed && !client.readableEnded) return Promise.reject(clientWentAway());
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        this.queue.splice(this.queue.indexOf(entry), 1);
        rest();
        reject(error);
        this.admit();
      };
      const left = () => leave(clientWentAway());
      const timer = setTimeout(
        () => leave(unavailable('The gateway has no room for this body right now')),
        this.options.waitMs,
      );
      const rest = () => {
        clearTimeout(timer);
        client.off('close', left);
        this.watchOrRest();
      };
      const entry: Waiting = {
        size,
        admit: () => {
          rest();
          resolve(this.open(size));
        },
      };
      client.once('close', left);
      this.queue.push(entry);
      this.watchOrRest();
    });
  }

  private admit(): void {
    while (this.queue.length > 0 && this.fits(this.queue[0]!.size)) this.queue.shift()!.admit();
  }

  /** A slow body disturbs nobody while there is room. */
  private watchOrRest(): void {
    if (this.queue.length > 0) this.watch ??= setInterval(() => this.dropSlow(), this.options.graceMs / 4);
    else {
      clearInterval(this.watch);
      this.watch = undefined;
    }
  }

  private dropSlow(): void {
    const { bytesPerSecond, graceMs } = this.options;
    for (const location of this.held) {
      const due = ((performance.now() - location.since - graceMs) / 1_000) * bytesPerSecond;
      if (location.received < Math.min(due, location.size)) location.onLost();
    }
  }
}

import type { Readable } from 'node:stream';
import { unavailable } from '@posthorn/contracts';

export interface BudgetOptions {
  /** Bytes of bodies in memory at once; a larger body is read alone. */
  budget: number;
  waitMs?: number;
  /** While others wait, a body that arrives more slowly than this after the grace period is refused. */
  bytesPerSecond?: number;
  graceMs?: number;
}

/** The share of one body, held until nothing refers to its bytes any more. */
export class Reservation {
  received = 0;
  onLost: () => void = () => undefined;
  readonly since = performance.now();

  constructor(
    readonly size: number,
    readonly owner: string,
    readonly free: () => void,
  ) {}
}

interface Waiting {
  size: number;
  owner: string;
  admit: () => void;
}

export const clientWentAway = () => unavailable('The client went away');

// About the time that the largest send takes at the lowest allowed rate.
const defaults = { waitMs: 20_000, bytesPerSecond: 750_000, graceMs: 2_000 };

/** Admits bodies to memory within one budget: owners take turns, and those that hold the fewest are first. */
export class BodyBudget {
  private used = 0;
  private readonly queue: Waiting[] = [];
  private readonly held = new Set<Reservation>();
  /** When each owner that waits or holds was admitted last, as a running number. */
  private readonly turns = new Map<string, number>();
  private turn = 0;
  private readonly options: Required<BudgetOptions>;
  private slowCheck: NodeJS.Timeout | undefined;

  constructor(options: BudgetOptions) {
    this.options = { ...defaults, ...options };
  }

  /** Resolves immediately if the body fits, otherwise in turn while `client` is connected. */
  take(size: number, client: Readable, owner: string): Reservation | Promise<Reservation> {
    if (this.queue.length > 0 || !this.fits(size)) return this.wait(size, client, owner);
    return this.open(size, owner);
  }

  private fits(size: number): boolean {
    return this.used === 0 || this.used + size <= this.options.budget;
  }

  private open(size: number, owner: string): Reservation {
    this.used += size;
    const reservation: Reservation = new Reservation(size, owner, () => {
      if (!this.held.delete(reservation)) return;
      this.used -= size;
      this.admit();
      this.forget(owner);
    });
    this.held.add(reservation);
    this.turns.set(owner, (this.turn += 1));
    return reservation;
  }

  private wait(size: number, client: Readable, owner: string): Promise<Reservation> {
    // A closed stream emits no further close event.
    if (client.destroyed && !client.readableEnded) return Promise.reject(clientWentAway());
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        this.queue.splice(this.queue.indexOf(entry), 1);
        stopWaiting();
        reject(error);
        this.admit();
      };
      const onClientClosed = () => leave(clientWentAway());
      const timer = setTimeout(
        () => leave(unavailable('The gateway has no room for this body right now')),
        this.options.waitMs,
      );
      const stopWaiting = () => {
        clearTimeout(timer);
        client.off('close', onClientClosed);
        this.startOrStopSlowCheck();
      };
      const entry: Waiting = {
        size,
        owner,
        admit: () => {
          stopWaiting();
          resolve(this.open(size, owner));
        },
      };
      client.once('close', onClientClosed);
      this.queue.push(entry);
      this.startOrStopSlowCheck();
    });
  }

  private admit(): void {
    for (let next = this.next(); next && this.fits(next.size); next = this.next()) {
      this.queue.splice(this.queue.indexOf(next), 1);
      next.admit();
    }
  }

  /** Nobody is passed over for being large, so that large bodies do not wait for ever. */
  private next(): Waiting | undefined {
    const held = Map.groupBy(this.held, ({ owner }) => owner);
    const rank = ({ owner }: Waiting) => [held.get(owner)?.length ?? 0, this.turns.get(owner) ?? 0] as const;
    return this.queue.toSorted((a, b) => {
      const [[countA, turnA], [countB, turnB]] = [rank(a), rank(b)];
      return countA - countB || turnA - turnB;
    })[0];
  }

  private forget(owner: string): void {
    const isKnown = [...this.held, ...this.queue].some((each) => each.owner === owner);
    if (!isKnown) this.turns.delete(owner);
  }

  private startOrStopSlowCheck(): void {
    if (this.queue.length > 0)
      this.slowCheck ??= setInterval(() => this.dropSlow(), this.options.graceMs / 4);
    else {
      clearInterval(this.slowCheck);
      this.slowCheck = undefined;
    }
  }

  private dropSlow(): void {
    const { bytesPerSecond, graceMs } = this.options;
    for (const reservation of this.held) {
      const due = ((performance.now() - reservation.since - graceMs) / 1_000) * bytesPerSecond;
      if (reservation.received < Math.min(due, reservation.size)) reservation.onLost();
    }
  }
}

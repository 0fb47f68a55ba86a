import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { mayHaveCommitted } from '@posthorn/database';
import { freeIfLarge } from '../../composing/array-buffers.js';
import { SendingConfig } from '../../config.js';
import { HandOffMarks, type Mark } from './hand-off-marks.repository.js';
import { Lease } from '../claiming/lease.js';
import { lanes } from '../delivery-states.js';
import { failure, requeueNow, outcomeOf, outcomeOfRefusedMark, type Outcome } from '../outcomes/outcome.js';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.js';
import { waitForSlot, type Slot } from '../../pacing/pace.js';
import { Provider } from './provider.js';
import type { ReadyMessage } from '../claiming/ready-message.js';
import { ReadyMessages } from '../claiming/ready-messages.js';

const maxMarksInFlight = 2;
// No delivery begins with an older mark: a suppression may have been added since (docs/guarantees.md §3). With a rate limit the time of its slot decides instead.
const staleMarkMs = 2_000;
const retryMarkMs = 500;
/** Outcomes that are not written yet; more would make a crash leave too many messages of unknown outcome. */
const maxUnrecorded = 128;
/** Marked messages that wait for a connection: as many as leave within this time, and no more than that. */
const ahead = { ms: 250, most: 48 };
/** How far ahead slots of the rate are reserved: every replica does so, and the message of a quiet project waits behind the slots of all. */
const secondsAhead = 0.25;
/** Short compared with the time that a mail server takes for a message. */
const lingerMs = 2;

/** With the checks that nearly all mail needs, or with all of them (mark-rules.ts). */
type Checks = 'plain' | 'all';
/** A project whose mail needed all checks is taken to need them for so long at most. */
const guardedMs = 10_000;

/** A crash leaves the outcome of what is marked unknown, so only what leaves at once is marked ahead of the free connections (docs/guarantees.md G4). */
@Injectable()
export class HandOffDispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Delivery');
  /** Messages between their mark and the end of their hand-off; each takes a connection, or will. */
  private busy = 0;
  /** Of those, how many have no slot yet, or wait for it. */
  private waitingForSlot = 0;
  private marking = 0;
  private stopped = false;
  private pauseEnd: NodeJS.Timeout | null = null;
  private nextDispatch: NodeJS.Immediate | null = null;
  private lingering: NodeJS.Timeout | null = null;
  private lingerIsOver = false;
  private readonly running = new Set<Promise<void>>();
  private readonly guarded = new GuardedProjects();
  private readonly connections: Connections;

  constructor(
    private readonly ready: ReadyMessages,
    private readonly marks: HandOffMarks,
    private readonly provider: Provider,
    private readonly recorder: OutcomeRecorder,
    private readonly lease: Lease,
    private readonly config: SendingConfig,
  ) {
    this.connections = new Connections(config.connections);
  }

  onApplicationBootstrap(): void {
    // Also while paused: taking the first lease detects a database that was restored from a dump.
    this.lease.start();
    if (this.config.deliveryPaused) return;
    this.ready.start(() => this.dispatchSoon());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of [this.pauseEnd, this.lingering]) if (timer) clearTimeout(timer);
    await this.ready.stop();
    while (this.running.size > 0) await Promise.allSettled(this.running);
    await this.provider.close();
    await this.recorder.drained();
    await this.lease.stop();
  }

  /** Once for all that becomes ready together, because a mark for each message would cost as much as one for all. */
  private dispatchSoon(): void {
    this.nextDispatch ??= setImmediate(() => {
      this.nextDispatch = null;
      this.dispatch();
    });
  }

  private dispatch(): void {
    // Also with an empty buffer: only this enables claiming after a pause.
    while (
      !this.stopped &&
      !this.isProviderPaused() &&
      this.marking < maxMarksInFlight &&
      this.ready.size > 0
    ) {
      const free = this.freeConnections;
      if (free <= 0 || this.lingers(free)) return;
      for (const [checks, batch] of Map.groupBy(this.ready.take(free), ({ message }) =>
        message.position > 0 || this.guarded.has(message.projectId) ? 'all' : 'plain',
      ))
        this.track(this.deliver(batch, checks));
    }
  }

  /** With a backlog, connections become free one by one; a mark for each message would cost as much as one mark for several. */
  private lingers(free: number): boolean {
    const few = free < this.places / 2 && this.busy > 0 && this.ready.size > free;
    if (!few || this.lingerIsOver) return false;
    // The end of each hand-off asks again.
    if (this.connections.waiting > 0) return true;
    this.lingering ??= setTimeout(() => {
      this.lingering = null;
      this.lingerIsOver = true;
      this.dispatch();
      this.lingerIsOver = false;
    }, lingerMs);
    return true;
  }

  /** During a pause nothing is claimed, and its end starts the next dispatch. */
  private isProviderPaused(): boolean {
    const pauseMs = this.provider.pauseMs;
    this.ready.setClaimingEnabled(pauseMs === 0);
    if (pauseMs > 0) this.dispatchIn(pauseMs);
    return pauseMs > 0;
  }

  private get freeConnections(): number {
    const places = this.provider.allowsOneConnection ? 1 : this.places;
    const free = Math.min(places - this.busy, this.slotsAhead - this.waitingForSlot);
    return this.recorder.waiting > maxUnrecorded ? 0 : free;
  }

  /** With a rate limit the slots decide how far ahead messages are marked. */
  private get places(): number {
    return this.config.connections + (this.config.ratePerSecond > 0 ? 0 : this.connections.ahead);
  }

  /** A slot that is reserved is lost to messages that come later, and what is marked no longer notices that its project is disabled. */
  private get slotsAhead(): number {
    const { ratePerSecond } = this.config;
    return ratePerSecond > 0 ? Math.max(1, Math.ceil(ratePerSecond * secondsAhead)) : Infinity;
  }

  private dispatchIn(pauseMs: number): void {
    this.pauseEnd ??= setTimeout(() => {
      this.pauseEnd = null;
      this.dispatch();
    }, pauseMs);
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    // An unexpected error of one message must not end the process while others are in hand-off.
    void work
      .catch((error: Error) => this.log.error(error.stack))
      .finally(() => {
        this.running.delete(work);
        this.dispatch();
      });
  }

  private async deliver(batch: ReadyMessage[], checks: Checks): Promise<void> {
    this.busy += batch.length;
    this.waitingForSlot += batch.length;
    const marks = (await this.mark(batch, checks)) ?? batch.map(() => null);
    const markedAt = performance.now();
    const unmarked = batch.filter((_, index) => !marks[index]);
    this.busy -= unmarked.length;
    this.waitingForSlot -= unmarked.length;
    batch.forEach((ready, index) => {
      const mark = marks[index];
      if (!mark) return;
      this.track(
        this.proceed(ready, mark, markedAt)
          .catch((error: Error) => this.abandonAfter(error))
          .finally(() => this.ready.removeSuspects([ready.message])),
      );
    });
    this.dispatch();
  }

  /** The message stays in HANDOFF under the old worker id, and becomes AMBIGUOUS when the lease of that expires. */
  private async abandonAfter(unexpected: Error): Promise<void> {
    this.log.error(unexpected.stack);
    await this.ready.abandonWorkerId();
  }

  /** Null for what is not marked: it is marked again later, or at once with all checks. */
  private async mark(batch: ReadyMessage[], checks: Checks): Promise<(Mark | null)[] | null> {
    const workerId = batch[0]!.workerId;
    const messages = batch.map(({ message }) => message);
    this.marking += 1;
    try {
      if (checks === 'all') return await this.marks.mark(workerId, messages);
      const marks = await this.marks.markPlain(workerId, messages);
      const guarded = batch.filter((_, index) => !marks[index]);
      this.guarded.add(guarded.map(({ message }) => message.projectId));
      if (guarded.length > 0) this.track(this.deliver(guarded, 'all'));
      return marks;
    } catch (error) {
      this.log.warn(`${batch.length} messages wait to be marked: ${(error as Error).message}`);
      this.ready.putBack(batch);
      if (mayHaveCommitted(error)) await this.ready.abandonWorkerId();
      await new Promise((resolve) => setTimeout(resolve, retryMarkMs));
      return null;
    } finally {
      this.marking -= 1;
    }
  }

  private async proceed(ready: ReadyMessage, mark: Mark, markedAt: number): Promise<void> {
    const { decision, slot, delayMs, hasTurn } = mark;
    const { subject, fromName } = ready;
    let outcome: Outcome | null;
    try {
      if (decision !== 'ok') {
        this.waitingForSlot -= 1;
        outcome = outcomeOfRefusedMark({ decision, delayMs, hasTurn }, ready.message);
      } else {
        const sent = await this.connections.use(async () => {
          const inTime = await this.isInTime(slot, markedAt);
          this.waitingForSlot -= 1;
          if (!inTime || this.provider.pauseMs > 0) return null;
          this.dispatchSoon();
          return this.sendMarked(ready);
        });
        outcome = sent ?? { ...requeueNow(), hasTurn };
      }
    } finally {
      this.busy -= 1;
      this.ready.freeMemory([ready.message]);
    }
    this.dispatch();
    if (outcome) await this.recorder.record({ ...ready.message, subject, fromName, outcome });
  }

  private async isInTime(slot: Slot, markedAt: number): Promise<boolean> {
    return slot === null ? performance.now() - markedAt <= staleMarkMs : waitForSlot(slot);
  }

  private async sendMarked({ message, envelope, raw, workerId }: ReadyMessage): Promise<Outcome> {
    const assertLeaseHeld = () => {
      this.lease.assertHeld(workerId);
    };
    const refusal = this.provider.simulatorRefusalOf(message);
    if (refusal) return failure('invalid_recipient', refusal);
    const attempt = await this.provider.deliver({ envelope, raw, assertLeaseHeld, message });
    // In all other cases the connection may still be writing these bytes.
    if (attempt.verdict === 'accepted') freeIfLarge(raw);
    return outcomeOf(attempt, message, {
      acceptIsDelivery: this.provider.acceptIsDelivery(message),
      ambiguousMs:
        1_000 *
        (message.lane === lanes.transactional
          ? this.config.ambiguousSeconds
          : this.config.ambiguousMarketingSeconds),
      retryMs: 1_000 * this.config.retrySeconds,
      random: Math.random,
    });
  }
}

/** The connections of the mail server, which marked messages use in the order of their marks. */
class Connections {
  private readonly queue: (() => void)[] = [];
  private inUse = 0;
  /** A moving average over about ten; slow until it is known. */
  private handOffMs = 1_000;

  constructor(private readonly count: number) {}

  get waiting(): number {
    return this.queue.length;
  }

  /** How many messages leave within a short time at the present speed. */
  get ahead(): number {
    return Math.min(ahead.most, Math.floor((this.count * ahead.ms) / this.handOffMs));
  }

  /** Null from `work` is no hand-off: what went back to the queue says nothing about the speed of the mail server. */
  async use<T>(work: () => Promise<T | null>): Promise<T | null> {
    if (this.inUse >= this.count) await new Promise<void>((next) => this.queue.push(next));
    else this.inUse += 1;
    const began = performance.now();
    try {
      const done = await work();
      if (done !== null) this.handOffMs += (performance.now() - began - this.handOffMs) / 10;
      return done;
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.inUse -= 1;
    }
  }
}

/** All are forgotten together, so that it stays as small as what was sent lately. */
class GuardedProjects {
  private readonly ids = new Set<string>();
  private since = performance.now();

  has(projectId: string): boolean {
    if (performance.now() - this.since > guardedMs) {
      this.ids.clear();
      this.since = performance.now();
    }
    return this.ids.has(projectId);
  }

  add(projectIds: readonly string[]): void {
    for (const projectId of projectIds) this.ids.add(projectId);
  }
}

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
/** How far ahead slots of the rate are reserved: every replica does so, and the message of a quiet project waits behind the slots of all. */
const secondsAhead = 0.25;
/** Short compared with the time that a mail server takes for a message. */
const lingerMs = 2;

/** No more messages are marked than there are connections, because marked messages are what a crash can duplicate (docs/guarantees.md G4). */
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

  constructor(
    private readonly ready: ReadyMessages,
    private readonly marks: HandOffMarks,
    private readonly provider: Provider,
    private readonly recorder: OutcomeRecorder,
    private readonly lease: Lease,
    private readonly config: SendingConfig,
  ) {}

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
      const batch = this.ready.take(free);
      if (batch.length > 0) this.track(this.deliver(batch));
    }
  }

  /** With a backlog, connections become free one by one; a mark for each message would cost as much as one mark for several. */
  private lingers(free: number): boolean {
    const few = free < this.config.connections / 2 && this.busy > 0 && this.ready.size > free;
    if (!few || this.lingerIsOver) return false;
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
    const connections = this.provider.allowsOneConnection ? 1 : this.config.connections;
    const free = Math.min(connections - this.busy, this.slotsAhead - this.waitingForSlot);
    return this.recorder.waiting > 2 * this.config.connections ? 0 : free;
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

  private async deliver(batch: ReadyMessage[]): Promise<void> {
    this.busy += batch.length;
    this.waitingForSlot += batch.length;
    const marks = await this.mark(batch);
    if (!marks) {
      this.busy -= batch.length;
      this.waitingForSlot -= batch.length;
      return;
    }
    const markedAt = performance.now();
    batch.forEach((ready, index) =>
      this.track(
        this.proceed(ready, marks[index]!, markedAt)
          .catch((error: Error) => this.abandonAfter(error))
          .finally(() => this.ready.removeSuspects([ready.message])),
      ),
    );
    this.dispatch();
  }

  /** The message stays in HANDOFF under the old worker id, and becomes AMBIGUOUS when the lease of that expires. */
  private async abandonAfter(unexpected: Error): Promise<void> {
    this.log.error(unexpected.stack);
    await this.ready.abandonWorkerId();
  }

  private async mark(batch: ReadyMessage[]): Promise<Mark[] | null> {
    this.marking += 1;
    try {
      return await this.marks.mark(
        batch[0]!.workerId,
        batch.map(({ message }) => message),
      );
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
      const inTime = decision !== 'ok' || (await this.isInTime(slot, markedAt));
      this.waitingForSlot -= 1;
      if (decision !== 'ok') outcome = outcomeOfRefusedMark({ decision, delayMs, hasTurn }, ready.message);
      else if (inTime) {
        this.dispatchSoon();
        outcome = await this.sendMarked(ready);
      } else outcome = { ...requeueNow(), hasTurn };
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

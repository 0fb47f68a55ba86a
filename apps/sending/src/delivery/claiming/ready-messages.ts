import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { mayHaveCommitted } from '@posthorn/database';
import { Loop, IdleBackoff } from '@posthorn/messaging';
import { Composer, isComposed, type ComposeOutcome } from '../../composing/composer.js';
import { SendingConfig } from '../../config.js';
import {
  ClaimsRepository,
  type ClaimedDelivery,
  beforeAllProjects,
  ProjectRotation,
} from './claims.repository.js';
import { DeliveryWakeUp } from '../delivery-wake-up.js';
import { lanes, type Lane } from '../delivery-states.js';
import { BytesInMemory, largeMessage } from './bytes-in-memory.js';
import { Lease } from './lease.js';
import { composingExpired, toReadyMessage, type ReadyMessage } from './ready-message.js';
import { outcomeOfUncomposed } from '../outcomes/outcome.js';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.js';
import { Suspects } from './suspects.js';
import {
  bufferSize,
  placesForUnbufferedProjects,
  claimIntervalMs,
  unbufferedClaimIntervalMs,
  noBulkMs,
  pollMs,
  composeSlice,
  postponeMs,
} from './claim-limits.js';
import { bulkEvery, ReadyBuffer } from './ready-buffer.js';

@Injectable()
export class ReadyMessages {
  private readonly log = new Logger('Claims');
  private readonly buffer = new ReadyBuffer<ReadyMessage>();
  private readonly rotation: ProjectRotation;
  private readonly loop: Loop;
  private readonly claimsOfUnbufferedProjects: Loop;
  private readonly suspectClaims: Loop;
  private readonly suspects = new Suspects();
  private onReady: () => void = () => undefined;
  private claimingEnabled = true;
  private stopped = false;
  private isIdle = false;
  private noBulkAt = -Infinity;
  private readonly polling = new IdleBackoff(pollMs.busy, pollMs.idle);
  private readonly composing = new ComposingCounts();
  private readonly memory = new BytesInMemory();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly composer: Composer,
    private readonly lease: Lease,
    private readonly recorder: OutcomeRecorder,
    private readonly wakeUp: DeliveryWakeUp,
    private readonly config: SendingConfig,
  ) {
    this.rotation = new ProjectRotation(claims);
    const interval = () => (wakeUp.acceptsWait ? claimIntervalMs.givingWay : claimIntervalMs.usual);
    const loop = (minIntervalMs: () => number, work: () => Promise<void | number>) =>
      new Loop({ everyMs: pollMs.busy, minIntervalMs, work, onError: (error) => this.failed(error) });
    this.loop = loop(interval, () => this.refill());
    this.claimsOfUnbufferedProjects = loop(
      () => (wakeUp.acceptsWait ? claimIntervalMs.givingWay : unbufferedClaimIntervalMs),
      () => this.claimUnbufferedProjects(),
    );
    this.suspectClaims = loop(interval, () => this.claimSuspects());
  }

  get size(): number {
    return this.buffer.size;
  }

  start(onReady: () => void): void {
    this.onReady = onReady;
    this.wakeUp.onWakeUp(() => {
      this.isIdle = false;
      if (this.isLow) this.loop.wakeUp();
      else this.claimsOfUnbufferedProjects.wakeUp();
    });
    this.loop.start();
    this.claimsOfUnbufferedProjects.start();
    this.suspectClaims.start();
  }

  /** While the provider is unavailable nothing is claimed: messages stay in the queue, where other workers can claim them. */
  setClaimingEnabled(enabled: boolean): void {
    if (enabled && !this.claimingEnabled) this.loop.wakeUp();
    this.claimingEnabled = enabled;
  }

  take(count: number): ReadyMessage[] {
    const taken = this.buffer.take(count);
    if (this.buffer.size < this.bufferLimit / 2) this.loop.wakeUp();
    // Messages that were claimed under an earlier worker id cannot be marked together with the others.
    const workerId = this.lease.workerId;
    const former = taken.filter((ready) => ready.workerId !== workerId);
    if (former.length > 0) void this.unclaim(former);
    return taken.filter((ready) => ready.workerId === workerId);
  }

  putBack(messages: ReadyMessage[]): void {
    if (this.stopped) void this.unclaim(messages);
    else this.buffer.putBack(messages);
  }

  async abandonWorkerId(): Promise<void> {
    this.lease.abandon();
    await this.unclaimBuffer();
  }

  private failed(error: unknown): void {
    this.log.warn(`no claims: ${(error as Error).message}`);
    if (mayHaveCommitted(error)) void this.abandonWorkerId();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all([this.loop.stop(), this.claimsOfUnbufferedProjects.stop(), this.suspectClaims.stop()]);
    await Promise.all(this.underWay);
    await this.unclaimBuffer();
  }

  /** At most one second of the rate limit: what waits here is not yet available to other processes. */
  private get bufferLimit(): number {
    const { ratePerSecond } = this.config;
    return ratePerSecond > 0 ? Math.max(1, Math.min(bufferSize, Math.ceil(ratePerSecond))) : bufferSize;
  }

  private async refill(): Promise<number> {
    if (this.isIdle) this.isIdle = await this.claims.isIdle();
    const workerId = this.lease.workerId;
    if (!this.isIdle && workerId && this.claimingEnabled && this.isLow) {
      const claimed = await this.fill(workerId, this.freePlaces);
      this.isIdle = claimed === 0 && (await this.claims.isIdle());
    }
    const pauseMs = this.polling.delayMs({ busy: !this.isIdle });
    return this.untilBulkMs > 0 ? Math.min(pauseMs, this.untilBulkMs) : pauseMs;
  }

  private get freePlaces(): number {
    // Messages being composed take at most half of the places, so that slow templates cannot block the buffer.
    const composing = Math.min(this.composing.total, this.composingShare);
    return this.memory.free.small > 0 ? this.bufferLimit - this.buffer.size - composing : 0;
  }

  private get composingShare(): number {
    return Math.ceil(this.bufferLimit / 2);
  }

  private get isLow(): boolean {
    return this.freePlaces >= this.bufferLimit / 2;
  }

  private async fill(workerId: string, limit: number): Promise<number> {
    const transactional = await this.claimLane(workerId, lanes.transactional, limit);
    const left = Math.max(limit - transactional.length, this.bulkShortfall);
    const bulk = left > 0 ? await this.claimBulk(workerId, left) : [];
    const claimed = [...transactional, ...bulk];
    // A full claim means that there may be more; so does a large message, since others of its size had to wait.
    if (claimed.length >= limit || claimed.some(({ bytes }) => bytes > largeMessage)) this.loop.wakeUp();
    return claimed.length;
  }

  /** Until bulk mail is looked for again after there was none, unless this process has stored some since. */
  private get untilBulkMs(): number {
    return this.wakeUp.bulkStoredAt > this.noBulkAt ? 0 : this.noBulkAt + noBulkMs - performance.now();
  }

  private async claimBulk(workerId: string, limit: number): Promise<ClaimedDelivery[]> {
    if (this.untilBulkMs > 0) return [];
    const began = performance.now();
    const claimed = await this.claimLane(workerId, lanes.bulk, limit);
    this.noBulkAt = claimed.length === 0 ? began : -Infinity;
    return claimed;
  }

  /** A share of the buffer is for bulk, also while transactional mail could fill all of it. */
  private get bulkShortfall(): number {
    return Math.ceil(this.bufferLimit / bulkEvery) - this.buffer.countIn(lanes.bulk);
  }

  /** A project without a message in the buffer does not wait until half of the buffer is sent. */
  private async claimUnbufferedProjects(): Promise<void> {
    const workerId = this.lease.workerId;
    const limit = Math.min(placesForUnbufferedProjects, this.bufferLimit) + Math.min(this.freePlaces, 0);
    if (!workerId || !this.claimingEnabled || this.isLow || limit <= 0 || this.memory.free.small <= 0) return;
    for (const lane of [lanes.transactional, lanes.bulk]) {
      const excludedProjects = [...this.buffer.projectsIn(lane), ...this.composing.projectsWithAtLeast(1)];
      const freeBytes = this.memory.free;
      const options = { workerId, lane, limit, afterProject: beforeAllProjects, freeBytes, excludedProjects };
      await this.composeAll(workerId, await this.claims.claim(options));
    }
  }

  private async claimSuspects(): Promise<void> {
    const workerId = this.lease.workerId;
    const { room } = this.suspects;
    if (this.isIdle || !workerId || !this.claimingEnabled || !room) return;
    const messages = await this.claims.claimSuspects({ workerId, freeBytes: this.memory.free, ...room });
    this.suspects.add(messages);
    await this.composeAll(workerId, messages);
  }

  private async claimLane(workerId: string, lane: Lane, limit: number): Promise<ClaimedDelivery[]> {
    const freeBytes = this.memory.free;
    const excludedProjects = this.composing.projectsWithAtLeast(this.composingShare);
    const messages = await this.rotation.claim({ workerId, lane, limit, freeBytes, excludedProjects });
    await this.composeAll(workerId, messages);
    return messages;
  }

  /** In slices, so that the event loop can serve other requests in between. */
  private async composeAll(workerId: string, messages: ClaimedDelivery[]): Promise<void> {
    this.memory.add(messages);
    // Liquid may need fields from another service, and large messages take long: neither delays plain ones.
    const isLarge = ({ bytes }: ClaimedDelivery) => bytes > largeMessage;
    const common = messages.filter((each) => !isLarge(each));
    // `liquid` is null where the content is no longer retained.
    for (const isLiquid of [false, true])
      await this.composeInSlices(
        workerId,
        common.filter(({ liquid }) => Boolean(liquid) === isLiquid),
      );
    for (const large of messages.filter(isLarge)) this.begin(workerId, [large]);
  }

  private async composeInSlices(workerId: string, messages: ClaimedDelivery[]): Promise<void> {
    for (let first = 0; first < messages.length; first += composeSlice) {
      this.begin(workerId, messages.slice(first, first + composeSlice));
      if (first + composeSlice < messages.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private begin(workerId: string, messages: ClaimedDelivery[]): void {
    const some = this.composeSome(workerId, messages).finally(() => this.underWay.delete(some));
    this.underWay.add(some);
  }

  private async composeSome(workerId: string, messages: ClaimedDelivery[]): Promise<void> {
    const unfinished = new Set(messages);
    this.composing.add(messages, 1);
    try {
      await this.composer.compose(messages, (message, composition) => {
        if (!this.finish(workerId, message, composition)) return;
        unfinished.delete(message);
        this.composing.add([message], -1);
        this.onReady();
      });
    } catch (error) {
      this.log.warn(`${unfinished.size} messages wait to be composed: ${(error as Error).message}`);
    } finally {
      this.composing.add([...unfinished], -1);
    }
    await this.postpone(workerId, [...unfinished]);
  }

  /** Returns false for a message that is to be composed again later. */
  private finish(workerId: string, message: ClaimedDelivery, composition: ComposeOutcome): boolean {
    if (isComposed(composition)) {
      this.memory.resize(message, composition.raw.length);
      this.buffer.add(toReadyMessage(message, workerId, composition, this.config));
    } else if (!composition.retryable || message.windowIsOver) {
      const { failureKind, error } = composition.retryable ? composingExpired : composition;
      const outcome = outcomeOfUncomposed(failureKind, error);
      void this.recorder
        .record({ ...message, subject: null, outcome })
        .finally(() => this.removeSuspects([message]));
    }
    return isComposed(composition) || !composition.retryable || message.windowIsOver;
  }

  /** Retried until the database answers or the service ends: while the lease is renewed, nobody else would take them. */
  private async postpone(workerId: string, messages: ClaimedDelivery[]): Promise<void> {
    if (messages.length === 0) return;
    this.removeSuspects(messages);
    do {
      try {
        return await this.claims.unclaim(workerId, postponeMs, messages);
      } catch (error) {
        if (this.stopped) return;
        this.failed(error);
        await delay(postponeMs, undefined, { ref: false });
      }
    } while (!this.stopped);
  }

  /** Called once their bytes are handed over or refused. */
  freeMemory(messages: readonly ClaimedDelivery[]): void {
    if (this.memory.remove(messages)) this.loop.wakeUp();
  }

  /** Also frees their memory. From here on they cannot be the cause if this process dies. */
  removeSuspects(messages: readonly ClaimedDelivery[]): void {
    this.freeMemory(messages);
    if (this.suspects.remove(messages)) this.suspectClaims.wakeUp();
  }

  private unclaimBuffer(): Promise<void> {
    return this.unclaim(this.buffer.take(this.buffer.size));
  }

  /** Never rejects: what cannot be returned to the queue now returns when the lease expires. */
  private async unclaim(messages: readonly ReadyMessage[]): Promise<void> {
    for (const [workerId, ready] of Map.groupBy(messages, (ready) => ready.workerId)) {
      const claimed = ready.map(({ message }) => message);
      this.removeSuspects(claimed);
      await this.claims
        .unclaim(workerId, 0, claimed)
        .catch((error: Error) => this.log.warn(`not released: ${error.message}`));
    }
  }
}

class ComposingCounts {
  total = 0;
  private readonly counts = new Map<string, number>();

  add(messages: readonly { projectId: string }[], each: 1 | -1): void {
    for (const { projectId } of messages) {
      const count = (this.counts.get(projectId) ?? 0) + each;
      if (count === 0) this.counts.delete(projectId);
      else this.counts.set(projectId, count);
    }
    this.total += each * messages.length;
  }

  projectsWithAtLeast(least: number): string[] {
    return [...this.counts].flatMap(([projectId, count]) => (count >= least ? [projectId] : []));
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { isOutcomeUnknown } from '@posthorn/database';
import { Loop, Pauses } from '@posthorn/messaging';
import { Composer, isComposed, type Composition } from '../../composing/composer.js';
import { SendingConfig } from '../../config.js';
import { ClaimsRepository, type ClaimedMessage } from './claims.repository.js';
import { DeliveryWakeUp } from '../delivery-wake-up.js';
import { lanes, type Lane } from '../delivery.entity.js';
import { HeldBytes, largeMessage } from './held-bytes.js';
import { Lease } from './lease.js';
import { toOutbound, type Outbound } from '../hand-off/outbound-message.js';
import { notComposed } from '../outcomes/outcome.js';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.js';
import { firstProject, ProjectTurns } from './project-turns.js';
import { ReadyBuffer } from './ready-buffer.js';

// A tenth of a second's work: a single mail of another project comes in with the next claim.
const bufferSize = 128;
/** Beyond the stock, for projects that have nothing in it. */
const extraSlots = 16;
/** However often it rings: claims come in handfuls. */
const claimRestMs = 15;
const admitRestMs = 5;
/** While anything is queued, its time is seen within a second; at rest, a lost wake-up costs a few. */
const lookMs = { busy: 1_000, idle: 4_000 };
const composeSlice = 16;
/** What it waits for is another service or a database: not for this message alone. */
const waitMs = 1_000;

/** A message that is built and claimed; only the mark and the hand-over are missing. */
export interface ReadyMessage extends Outbound {
  workerId: string;
}

/** Keeps a small stock of claimed and built messages: transactional before bulk, projects in turn. */
@Injectable()
export class ReadyMessages {
  private readonly log = new Logger('Claims');
  private readonly buffer = new ReadyBuffer<ReadyMessage>();
  private readonly turns: ProjectTurns;
  private readonly loop: Loop;
  private readonly admission: Loop;
  private readonly suspects: Loop;
  /** Claimed after its last claim ended with a process: one at a time, so that only the one is to blame where it happens again. */
  private suspect: ClaimedMessage | null = null;
  private onReady: () => void = () => undefined;
  private open = true;
  /** At the last look nothing was queued, held or in doubt. */
  private atRest = false;
  private readonly pauses = new Pauses(lookMs.busy, lookMs.idle);
  /** Claimed, and being composed. */
  private composing = 0;
  private readonly held = new HeldBytes();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly composer: Composer,
    private readonly lease: Lease,
    private readonly recorder: OutcomeRecorder,
    private readonly wakeUp: DeliveryWakeUp,
    private readonly config: SendingConfig,
  ) {
    this.turns = new ProjectTurns(claims);
    this.loop = new Loop({
      everyMs: lookMs.busy,
      restMs: claimRestMs,
      work: () => this.refill(),
      onError: (error) => this.failed(error),
    });
    this.admission = new Loop({
      everyMs: lookMs.busy,
      restMs: admitRestMs,
      work: () => this.admitNew(),
      onError: (error) => this.failed(error),
    });
    this.suspects = new Loop({
      everyMs: lookMs.busy,
      work: () => this.takeSuspect(),
      onError: (error) => this.failed(error),
    });
  }

  get size(): number {
    return this.buffer.size;
  }

  start(onReady: () => void): void {
    this.onReady = onReady;
    this.wakeUp.onWakeUp(() => {
      this.atRest = false;
      if (this.isLow) this.loop.wakeUp();
      else this.admission.wakeUp();
    });
    this.loop.start();
    this.admission.start();
    this.suspects.start();
  }

  /** While the provider is away, nothing more is claimed: it waits in the queue, where every worker sees it. */
  setOpen(open: boolean): void {
    if (open && !this.open) this.loop.wakeUp();
    this.open = open;
  }

  take(count: number): ReadyMessage[] {
    const taken = this.buffer.take(count);
    if (this.buffer.size < this.capacity / 2) this.loop.wakeUp();
    // A mark is one worker's: what was claimed before this process became another one would make its neighbours look lost.
    const workerId = this.lease.workerId;
    const former = taken.filter((ready) => ready.workerId !== workerId);
    if (former.length > 0) void this.returnAll(former);
    return taken.filter((ready) => ready.workerId === workerId);
  }

  putBack(messages: ReadyMessage[]): void {
    this.buffer.putBack(messages);
  }

  /** After an answer that never came: what is in stock goes back to the queue, what we do not know of follows with the lease. */
  async startOver(): Promise<void> {
    this.lease.renounce();
    await this.release();
  }

  private failed(error: unknown): void {
    this.log.warn(`no claims: ${(error as Error).message}`);
    if (isOutcomeUnknown(error)) void this.startOver();
  }

  async stop(): Promise<void> {
    await Promise.all([this.loop.stop(), this.admission.stop(), this.suspects.stop()]);
    await Promise.all(this.underWay);
    await this.release();
  }

  /** A second of the pace at most: what is claimed by a slow provider's worker cannot be overtaken by other projects. */
  private get capacity(): number {
    const { ratePerSecond } = this.config;
    return ratePerSecond > 0 ? Math.max(1, Math.min(bufferSize, Math.ceil(ratePerSecond))) : bufferSize;
  }

  private async refill(): Promise<number> {
    if (this.atRest) this.atRest = await this.claims.isAtRest();
    const workerId = this.lease.workerId;
    if (!this.atRest && workerId && this.open && this.isLow) {
      const claimed = await this.fill(workerId, this.space);
      this.atRest = claimed === 0 && (await this.claims.isAtRest());
    }
    return this.pauses.after(!this.atRest);
  }

  /** Messages that the stock still takes. */
  private get space(): number {
    return this.held.capacity.small > 0 ? this.capacity - this.buffer.size - this.composing : 0;
  }

  private get isLow(): boolean {
    return this.space >= this.capacity / 2;
  }

  /** Answers how many were claimed. */
  private async fill(workerId: string, capacity: number): Promise<number> {
    const transactional = await this.claimLane(workerId, lanes.transactional, capacity);
    const left = capacity - transactional.length;
    const bulk = left > 0 ? await this.claimLane(workerId, lanes.bulk, left) : [];
    const claimed = [...transactional, ...bulk];
    // As much as there was room for, or a large one, which others of its size may have kept from their turn: there may be more.
    if (claimed.length >= capacity || claimed.some(({ bytes }) => bytes > largeMessage)) this.loop.wakeUp();
    return claimed.length;
  }

  /** Something new may be of a project that has nothing in stock, and shall not wait until half of the stock has left. */
  private async admitNew(): Promise<void> {
    const workerId = this.lease.workerId;
    const limit = Math.min(extraSlots, this.capacity) + Math.min(this.space, 0);
    if (!workerId || !this.open || this.isLow || limit <= 0 || this.held.capacity.small <= 0) return;
    for (const lane of [lanes.transactional, lanes.bulk]) {
      const without = this.buffer.projectsIn(lane);
      const { capacity } = this.held;
      await this.composeAll(
        workerId,
        await this.claims.claim({
          workerId,
          lane,
          limit,
          afterProject: firstProject,
          capacity,
          without,
        }),
      );
    }
  }

  private async takeSuspect(): Promise<void> {
    const workerId = this.lease.workerId;
    if (this.atRest || !workerId || !this.open || this.suspect) return;
    const messages = await this.claims.claimSuspect(workerId, this.held.capacity);
    this.suspect = messages[0] ?? null;
    await this.composeAll(workerId, messages);
  }

  private async claimLane(workerId: string, lane: Lane, limit: number): Promise<ClaimedMessage[]> {
    const { capacity } = this.held;
    const messages = await this.turns.claim({ workerId, lane, limit, capacity });
    await this.composeAll(workerId, messages);
    return messages;
  }

  /** In slices, so that the event loop goes on serving accepts in between; a slow message holds back its slice, never the next claim. */
  private async composeAll(workerId: string, messages: ClaimedMessage[]): Promise<void> {
    this.held.add(messages);
    // What has to ask another service first, or takes its time, holds back none of the others.
    const isLarge = ({ bytes }: ClaimedMessage) => bytes > largeMessage;
    const common = messages.filter((each) => !isLarge(each));
    const plain = common.filter(({ liquid }) => !liquid);
    const liquid = common.filter((each) => each.liquid);
    for (const some of [plain, liquid]) await this.composeInSlices(workerId, some);
    for (const large of messages.filter(isLarge)) this.begin(workerId, [large]);
  }

  private async composeInSlices(workerId: string, messages: ClaimedMessage[]): Promise<void> {
    for (let first = 0; first < messages.length; first += composeSlice) {
      this.begin(workerId, messages.slice(first, first + composeSlice));
      if (first + composeSlice < messages.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private begin(workerId: string, messages: ClaimedMessage[]): void {
    const some = this.composeSome(workerId, messages).finally(() => this.underWay.delete(some));
    this.underWay.add(some);
  }

  private async composeSome(workerId: string, messages: ClaimedMessage[]): Promise<void> {
    this.composing += messages.length;
    try {
      const compositions = await this.composer.compose(messages);
      const waiting = messages.filter(
        (message, index) => !this.settled(workerId, message, compositions[index]!),
      );
      await this.putOff(workerId, waiting);
    } catch (error) {
      this.log.warn(`${messages.length} messages wait to be composed: ${(error as Error).message}`);
      await this.putOff(workerId, messages);
    } finally {
      this.composing -= messages.length;
    }
    this.onReady();
  }

  /** Into the stock, or to its end; false where it has to wait. */
  private settled(workerId: string, message: ClaimedMessage, composition: Composition): boolean {
    if (isComposed(composition)) {
      this.held.resize(message, composition.raw.length);
      const { returnPathDomain, secretKey } = this.config;
      this.buffer.add({
        ...toOutbound(message, composition, { returnPathDomain, secret: secretKey }),
        workerId,
      });
    } else if (!composition.waits || message.expired) {
      const { failureKind, error } = composition.waits ? neverComposed : composition;
      const outcome = notComposed(failureKind, error);
      void this.recorder.record({ ...message, subject: null, outcome }).finally(() => this.forget([message]));
    }
    return isComposed(composition) || !composition.waits || message.expired;
  }

  private async putOff(workerId: string, messages: ClaimedMessage[]): Promise<void> {
    if (messages.length === 0) return;
    this.forget(messages);
    await this.claims.release(workerId, waitMs, messages).catch((error: Error) => this.failed(error));
  }

  /** They are no longer in memory: claims that waited for room go on. */
  forget(messages: readonly ClaimedMessage[]): void {
    if (this.held.remove(messages)) this.loop.wakeUp();
    if (!this.suspect || !messages.includes(this.suspect)) return;
    this.suspect = null;
    this.suspects.wakeUp();
  }

  private release(): Promise<void> {
    return this.returnAll(this.buffer.take(this.buffer.size));
  }

  /** Never rejects: what cannot be given back now follows with the lease. */
  private async returnAll(messages: readonly ReadyMessage[]): Promise<void> {
    for (const [workerId, held] of Map.groupBy(messages, (ready) => ready.workerId)) {
      const claimed = held.map(({ message }) => message);
      this.forget(claimed);
      await this.claims
        .release(workerId, 0, claimed)
        .catch((error: Error) => this.log.warn(`not released: ${error.message}`));
    }
  }
}

const neverComposed = {
  failureKind: 'expired',
  error: 'What the message needs could not be had within a day',
} as const;

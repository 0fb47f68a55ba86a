import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { noProject, DomainError, engagement, serviceCaller, type Engagement } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, Loop } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { engagementsDropped, engagementsWaiting } from './engagement.metrics.js';

export type Seen = Omit<Engagement, 'id' | 'agoMs'>;

interface Waiting {
  item: Omit<Engagement, 'agoMs'>;
  /** By the monotonic clock. */
  seenAt: number;
  bytes: number;
}

const atOnce = 500;
const maxBytes = 32 * 1024 * 1024;
/** Approximate memory of an item without its texts. */
const itemBytes = 300;
const everyMs = 1_000;
/** Nobody waits for these calls, so items are collected into few large ones. */
const minIntervalMs = 50;

/** Reports opens and clicks in the background, so that readers are independent of sending. Items beyond the limits are dropped. */
@Injectable()
export class EngagementRecorder implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Engagement');
  private readonly waiting: Waiting[] = [];
  private readonly dropped;
  private readonly limits = new EngagementLimits(maxBytes);
  private failing = false;
  private readonly loop = new Loop({
    everyMs,
    minIntervalMs,
    work: () => this.publish(),
    onError: (error) => this.failed(error),
  });

  constructor(
    private readonly bus: Bus,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(engagementsDropped);
    metrics.gauge(engagementsWaiting, () => this.waiting.length);
  }

  note(seen: Seen): void {
    const bytes = itemBytes + (seen.url?.length ?? 0) + (seen.userAgent?.length ?? 0);
    if (!this.limits.admit(seen, bytes)) return this.dropped.inc();
    this.waiting.push({ item: { ...seen, id: newId() }, seenAt: performance.now(), bytes });
    // During an outage, one attempt per second is enough.
    if (!this.failing) this.loop.wakeUp();
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** The port is already closed, so no more items arrive. */
  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    await this.publish().catch((error: unknown) => this.failed(error));
    if (this.waiting.length === 0) return;
    this.log.error(`${this.waiting.length} opens and clicks were lost at shutdown`);
    this.drop(this.waiting.length);
  }

  private async publish(): Promise<void> {
    while (this.waiting.length > 0) await this.sendSome();
    this.failing = false;
  }

  /** A repeat after a lost reply uses the same ids, which sending counts once. */
  private async sendSome(): Promise<void> {
    const some = this.waiting.slice(0, atOnce);
    const now = performance.now();
    const items = some.map(({ item, seenAt }) => ({ ...item, agoMs: Math.round(now - seenAt) }));
    try {
      await this.bus.call(engagement.record, serviceCaller('gateway', noProject), { items });
    } catch (error) {
      if (isForNow(error)) throw error;
      // A refused batch would be refused again and block the following ones.
      this.log.error(`Sending refused ${some.length} opens and clicks: ${(error as Error).message}`);
      this.dropped.inc(some.length);
    }
    this.forget(some.length);
  }

  private drop(count: number): void {
    this.dropped.inc(count);
    this.forget(count);
  }

  private forget(count: number): void {
    for (const { item, bytes } of this.waiting.splice(0, count)) this.limits.release(item, bytes);
  }

  private failed(error: unknown): void {
    if (!this.failing)
      this.log.warn(
        `${this.waiting.length} opens and clicks are waiting for sending: ${(error as Error).message}`,
      );
    this.failing = true;
  }
}

const isForNow = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'timeout');

type Location = Pick<Engagement, 'projectId' | 'emailId' | 'position'>;

/** A person and their mail client never need more; whoever replays a link a thousand times is no reader. */
const perWindow = 100;
const windowMs = 10_000;
const maxMessages = 100_000;

/** What one message or one project may add: a project never holds more than is still free, so that others always find room. */
export class EngagementLimits {
  private readonly counts = new Map<string, number>();
  private readonly bytesOf = new Map<string, number>();
  private total = 0;
  private windowEnds = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  admit(location: Location, bytes: number): boolean {
    const { projectId } = location;
    const own = (this.bytesOf.get(projectId) ?? 0) + bytes;
    if (own > this.maxBytes - this.total - bytes || !this.isFewOf(location)) return false;
    this.bytesOf.set(projectId, own);
    this.total += bytes;
    return true;
  }

  release({ projectId }: Location, bytes: number): void {
    this.total -= bytes;
    const left = (this.bytesOf.get(projectId) ?? 0) - bytes;
    if (left > 0) this.bytesOf.set(projectId, left);
    else this.bytesOf.delete(projectId);
  }

  private isFewOf({ emailId, position }: Location): boolean {
    const now = this.now();
    if (now >= this.windowEnds || this.counts.size >= maxMessages) {
      this.counts.clear();
      this.windowEnds = now + windowMs;
    }
    const key = `${emailId} ${position}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count <= perWindow;
  }
}

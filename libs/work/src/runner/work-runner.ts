import { Logger } from '@nestjs/common';
import { mayHaveCommitted, type Database } from '@posthorn/database';
import { Loop, type WakeUps } from '@posthorn/messaging';
import type { Metrics, Tracing } from '@posthorn/telemetry';
import { BatchRunner } from './batch-runner.js';
import { ClaimsRepository } from '../queue/claims.repository.js';
import { LookRepository } from '../queue/look.repository.js';
import { SettlingRepository } from '../queue/settling.repository.js';
import type { ClaimedItem } from '../queue/claimed-columns.js';
import type { WorkHandler, WorkKind } from '../queue/work-kind.js';
import { WorkMetrics } from './work.metrics.js';
import { WorkerLease } from './worker-lease.js';

export interface WorkRunnerOptions {
  database: Database;
  wakeUps: WakeUps;
  metrics: Metrics;
  tracing: Tracing;
  leaseMs: number;
}

interface Registered {
  kind: WorkKind;
  handler: WorkHandler<object>;
  afterProject: string | null;
}

const minIntervalMs = 5;
/** For commits without a wake-up: some statements insert items themselves. */
const afterCommitMs = 200;
/** A claim without an answer may still be running for as long as a statement may take. */
const suspicionMs = 65_000;
const suspicionPauseMs = 2_000;
const maxRestMs = 30_000;

/** One query for all kinds, a claim for each kind that is ready, batches in parallel. */
export class WorkRunner {
  private readonly log = new Logger('Work');
  private readonly kinds = new Map<string, Registered>();
  private readonly batches: BatchRunner;
  private readonly claims: ClaimsRepository;
  private readonly queue: LookRepository;
  private readonly lease: WorkerLease;
  private readonly loop: Loop;
  private hasSuspects = false;
  private suspicionUntil = -Infinity;
  private readonly wakeUps: WakeUps;
  private readonly unsubscribe: (() => void)[];
  private soon: NodeJS.Timeout | null = null;

  constructor({ database, wakeUps, metrics, tracing, leaseMs }: WorkRunnerOptions) {
    this.wakeUps = wakeUps;
    this.claims = new ClaimsRepository(database);
    this.queue = new LookRepository(database);
    this.lease = new WorkerLease(this.claims, leaseMs);
    const workMetrics = new WorkMetrics(
      metrics,
      database,
      () => [...this.kinds.keys()],
      (kind) => this.batches.held(kind),
    );
    const settling = new SettlingRepository(database);
    this.batches = new BatchRunner({
      settling,
      metrics: workMetrics,
      tracing,
      onFree: () => this.loop.wakeUp(),
      onReleased: () => wakeUps.send('work'),
    });
    this.loop = new Loop({
      minIntervalMs,
      everyMs: maxRestMs,
      work: () => this.round(),
      onError: (error) => this.failed(error),
    });
    this.unsubscribe = [
      wakeUps.on('work', () => this.loop.wakeUp()),
      database.onCommit(() => this.wakeSoon()),
    ];
  }

  register<Payload extends object>(kind: WorkKind<Payload>, handler: WorkHandler<Payload>): void {
    if (this.kinds.has(kind.name)) throw new Error(`two handlers do the work ${kind.name}`);
    this.kinds.set(kind.name, {
      kind: kind as WorkKind,
      handler: handler as WorkHandler<object>,
      afterProject: null,
    });
  }

  onApplicationBootstrap(): void {
    if (this.kinds.size > 0) this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe.forEach((unsubscribe) => unsubscribe());
    if (this.soon) clearTimeout(this.soon);
    await this.loop.stop();
    await this.batches.drain();
    await this.lease.end();
    this.wakeUps.send('work');
    this.wakeUps.flush();
  }

  private async round(): Promise<number> {
    const unknownOutcome = performance.now() < this.suspicionUntil;
    if (unknownOutcome) await this.claims.releaseUnknown(this.lease.worker.id, this.batches.heldIds);
    const look = await this.queue.look([...this.kinds.keys()]);
    this.hasSuspects ||= look.suspects;
    const rests = look.ready.map((name) => this.batches.restMs(name)).filter((restMs) => restMs > 0);
    let isFull = look.more;
    for (const name of look.ready) isFull = (await this.claim(this.kinds.get(name)!)) || isFull;
    if (this.hasSuspects) await this.claimSuspect();
    if (isFull) this.loop.wakeUp();
    return Math.min(
      unknownOutcome ? suspicionPauseMs : maxRestMs,
      Math.max(0, look.nextMs ?? maxRestMs),
      ...rests,
    );
  }

  private async claim(registered: Registered): Promise<boolean> {
    const { kind, handler } = registered;
    const { limit, without } = this.batches.room(kind);
    if (limit === 0) return false;
    const { items, afterProject, contended } = await this.lease.during(() =>
      this.claims.claim({
        kind,
        limit,
        without,
        worker: this.lease.worker,
        afterProject: registered.afterProject,
      }),
    );
    registered.afterProject = afterProject;
    this.batches.run(kind, handler, items, this.lease.hold());
    return contended || (items.length > 0 && this.batches.room(kind).limit > 0);
  }

  private async claimSuspect(): Promise<void> {
    if (this.batches.isRunningAlone) return;
    const claimed = await this.lease.during(() =>
      this.claims.claimSuspect([...this.kinds.keys()], this.lease.worker),
    );
    this.hasSuspects = claimed !== null;
    if (!claimed) return;
    const { kind, ...item } = claimed;
    const { kind: known, handler } = this.kinds.get(kind)!;
    this.batches.runAlone(known, handler, item as ClaimedItem, this.lease.hold());
  }

  private wakeSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = null;
      this.loop.wakeUp();
    }, afterCommitMs).unref();
  }

  private failed(error: unknown): void {
    if (mayHaveCommitted(error)) this.suspicionUntil = performance.now() + suspicionMs;
    this.log.warn(`no work is claimed: ${(error as Error).message}`);
  }
}

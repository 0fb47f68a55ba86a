import { setTimeout as delay } from 'node:timers/promises';

const perMinute = 60;
const windowMs = 60_000;
const pauseMs = 1_000;
/** Bounds the memory: beyond it the oldest idle targets are forgotten. */
const maxTargets = 10_000;

interface Target {
  begun: number;
  until: number;
  running: Promise<unknown> | null;
  waiting: Promise<unknown> | null;
}

/**
 * Runs of one target happen one after another, and all requests that wait share the next one; they never join one that has begun, which may miss what
 * happened since. Past 60 within a minute one begins each second: a repeat is late, but not refused.
 */
export class TargetRuns {
  private readonly known = new Map<string, Target>();

  constructor(
    private readonly pause: (ms: number) => Promise<unknown> = delay,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get targets(): number {
    return this.known.size;
  }

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const target = this.targetOf(name);
    if (target.waiting) return target.waiting as Promise<T>;
    const run = this.turn(target).then(() => {
      target.waiting = null;
      target.begun += 1;
      return work();
    });
    target.waiting = run;
    const end = () => {
      if (target.running === run) target.running = null;
    };
    target.running = run;
    run.then(end, end);
    return run;
  }

  private async turn(target: Target): Promise<void> {
    // Two turns never wait at once: the second request joins the first.
    await target.running?.catch(() => undefined);
    if (this.now() >= target.until) Object.assign(target, { begun: 0, until: this.now() + windowMs });
    if (target.begun >= perMinute) await this.pause(pauseMs);
  }

  private targetOf(name: string): Target {
    const known = this.known.get(name);
    if (known) return known;
    const target: Target = { begun: 0, until: 0, running: null, waiting: null };
    this.known.set(name, target);
    if (this.known.size > maxTargets) this.forgetOne();
    return target;
  }

  /** Maps keep insertion order, so the first entry is the oldest. */
  private forgetOne(): void {
    for (const [name, { running }] of this.known)
      if (!running) {
        this.known.delete(name);
        return;
      }
  }
}

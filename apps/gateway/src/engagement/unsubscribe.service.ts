import { Injectable, Logger } from '@nestjs/common';
import {
  contacts,
  engagement,
  preferences,
  serviceCaller,
  type Caller,
  type ChangePreference,
  type Preferences,
  unavailable,
} from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import type { Choice, ChoiceOf } from './choice.js';

const recordMs = 500;

@Injectable()
export class UnsubscribeService {
  private readonly log = new Logger('Unsubscribes');
  private readonly runs = new TargetRuns();

  constructor(private readonly bus: Bus) {}

  /** Null while contacts is unavailable: the link works without it. */
  async look(
    { projectId, email, topicId }: UnsubscribeTarget,
    timeoutMs: number,
  ): Promise<Preferences | null> {
    const caller = serviceCaller('gateway', projectId);
    const of = { email, ...(topicId ? { topicId } : {}) };
    return this.bus.call(preferences.look, caller, of, { timeoutMs }).catch(() => null);
  }

  /** After a choice to leave everything, no marketing mail to the address is handed off. A link needs no credential and can be repeated in any number. */
  choose(
    { projectId, email, emailId }: UnsubscribeTarget,
    choice: Choice,
    client: Pick<Caller, 'ipAddress' | 'userAgent'>,
    limitMs: number,
  ): Promise<void> {
    const caller = { ...serviceCaller('gateway', projectId), ...client };
    const key = JSON.stringify([projectId, email, choice]);
    return this.runs.run(key, limitMs, async (timeoutMs) => {
      await this.store(caller, email, choice, timeoutMs);
      if (choice.subscribed) return;
      // For the report of a campaign; the recipient is unsubscribed in any case.
      void this.bus
        .call(engagement.unsubscribed, caller, { id: emailId }, { timeoutMs: recordMs })
        .catch((error: Error) => this.log.warn(`an unsubscribe is not in the report: ${error.message}`));
    });
  }

  private async store(
    caller: Caller,
    email: string,
    { of, subscribed, by }: Choice,
    timeoutMs: number,
  ): Promise<void> {
    const time = { timeoutMs };
    if (of.kind !== 'all' || subscribed) {
      const change = { email, subscribed, by, ...named(of) };
      const { found } = await this.bus.call(preferences.change, caller, change, time);
      // Whoever wants to leave a list or a topic that is gone leaves everything.
      if (found || subscribed) return;
    }
    await this.bus.call(contacts.unsubscribe, caller, { email }, time);
  }
}

function named(of: ChoiceOf): Pick<ChangePreference, 'listId' | 'topicId'> {
  if (of.kind === 'all') return {};
  return of.kind === 'list' ? { listId: of.id } : { topicId: of.id };
}

const perMinute = 60;
const windowMs = 60_000;
const pauseMs = 1_000;
/** With less time left a run would hardly end, so it does not begin. */
const leastMs = 300;
/** Bounds the memory: beyond it the oldest idle targets are forgotten. */
const maxTargets = 10_000;

interface Waiter {
  until: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  stopTimer: () => void;
}

interface Target {
  begun: number;
  beganAt: number;
  until: number;
  running: Promise<unknown> | null;
  waiting: Set<Waiter> | null;
}

type StartTimer = (ms: number, call: () => void) => () => void;

function startTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

// Requests that wait share the next run and never join one that has begun, which may miss what happened
// since. Past 60 within a minute one begins each second: a repeat is late, but not refused, unless the run
// before it was so slow that its own time is over.
export class TargetRuns {
  private readonly known = new Map<string, Target>();

  constructor(
    private readonly timer: StartTimer = startTimer,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get targets(): number {
    return this.known.size;
  }

  /** Settles within `limitMs` if `work` does within the time that it is given. */
  run<T>(name: string, limitMs: number, work: (timeoutMs: number) => Promise<T>): Promise<T> {
    const target = this.targetOf(name);
    const waiting = target.waiting ?? this.enqueue(target, work);
    return new Promise<T>((resolve, reject) => {
      const refuse = () => {
        waiting.delete(waiter);
        reject(unavailable());
      };
      const waiter: Waiter = {
        until: this.now() + limitMs,
        resolve: resolve as Waiter['resolve'],
        reject,
        stopTimer: this.timer(limitMs - leastMs, refuse),
      };
      waiting.add(waiter);
    });
  }

  private enqueue(target: Target, work: (timeoutMs: number) => Promise<unknown>): Set<Waiter> {
    const waiting = new Set<Waiter>();
    target.waiting = waiting;
    const run = this.turn(target).then(() => this.begin(target, waiting, work));
    target.running = run;
    void run.then(() => {
      if (target.running === run) target.running = null;
    });
    return waiting;
  }

  private async turn(target: Target): Promise<void> {
    // Two turns never wait at once: the second request joins the first.
    await target.running;
    if (this.now() >= target.until) Object.assign(target, { begun: 0, until: this.now() + windowMs });
    const restMs = target.begun >= perMinute ? target.beganAt + pauseMs - this.now() : 0;
    if (restMs > 0) await new Promise<void>((end) => this.timer(restMs, end));
  }

  private async begin(
    target: Target,
    waiting: ReadonlySet<Waiter>,
    work: (timeoutMs: number) => Promise<unknown>,
  ): Promise<void> {
    target.waiting = null;
    if (waiting.size === 0) return;
    target.begun += 1;
    target.beganAt = this.now();
    for (const { stopTimer } of waiting) stopTimer();
    const leftMs = Math.min(...[...waiting].map(({ until }) => until)) - this.now();
    await work(Math.max(leastMs, leftMs)).then(
      (value) => waiting.forEach(({ resolve }) => resolve(value)),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
  }

  private targetOf(name: string): Target {
    const known = this.known.get(name);
    if (known) return known;
    const target: Target = { begun: 0, beganAt: 0, until: 0, running: null, waiting: null };
    this.known.set(name, target);
    if (this.known.size > maxTargets) this.forgetOne();
    return target;
  }

  private forgetOne(): void {
    for (const [name, { running }] of this.known)
      if (!running) {
        this.known.delete(name);
        return;
      }
  }
}

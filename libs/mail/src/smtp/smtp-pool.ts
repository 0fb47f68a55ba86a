import { channel } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';
import type { Attempt } from './smtp-attempt.js';
import { SmtpCircuit } from './smtp-circuit.js';
import { defaultSmtpTimeouts, openSession, type SmtpSession } from './smtp-session.js';
import type { SmtpDelivery, SmtpTimeouts } from './smtp-transaction.js';
import type { SmtpEndpoint } from './smtp-url.js';

export interface SmtpPoolOptions {
  endpoint: SmtpEndpoint;
  maxConnections: number;
  maxMessagesPerConnection?: number;
  idleMs?: number;
  timeouts?: Partial<SmtpTimeouts>;
  now?: () => number;
}

export interface SmtpPoolState {
  paused: boolean;
  pauseMs: number;
  failures: number;
  lastFailure?: Attempt;
  open: number;
  idle: number;
  waiting: number;
}

export interface SmtpPause {
  server: string;
  /** What began or prolonged the pause; absent when it ends. */
  failure?: Attempt;
}

export const smtpPauseChannel = channel('posthorn:smtp-pauses');

type Waiter = (acquired: SmtpSession | Attempt) => void;

export class SmtpPool {
  private readonly idle: SmtpSession[] = [];
  private readonly idleTimers = new Map<SmtpSession, NodeJS.Timeout>();
  private readonly waiters: Waiter[] = [];
  private readonly quitting = new Set<Promise<void>>();
  private readonly circuit: SmtpCircuit;
  private readonly timeouts: SmtpTimeouts;
  private open = 0;
  private opening = 0;
  private running = 0;
  private closing = false;
  private drained?: () => void;

  constructor(private readonly options: SmtpPoolOptions) {
    this.circuit = new SmtpCircuit(options.now ?? (() => performance.now()));
    this.timeouts = { ...defaultSmtpTimeouts, ...options.timeouts };
  }

  get state(): SmtpPoolState {
    const { paused, pauseMs, failures, lastFailure } = this.circuit;
    return {
      paused,
      pauseMs,
      failures,
      lastFailure,
      open: this.open,
      idle: this.idle.length,
      waiting: this.waiters.length,
    };
  }

  /** Never rejects. While paused without a session it returns `no_reply` at stage `connect` at once. */
  async deliver(delivery: SmtpDelivery): Promise<Attempt> {
    if (this.closing) return this.unservedAttempt('closed');
    this.running++;
    const attempt = await this.tryOnce(delivery);
    this.running--;
    if (this.closing && this.running === 0) this.drained?.();
    return attempt;
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.running > 0) await new Promise<void>((resolve) => (this.drained = resolve));
    for (const session of this.idle.splice(0)) this.retire(session);
    await Promise.all(this.quitting);
  }

  private async tryOnce(delivery: SmtpDelivery): Promise<Attempt> {
    const acquired = await this.acquired();
    if (!isSession(acquired)) return acquired;
    const reused = acquired.attempts > 0;
    const attempt = await acquired.deliver(delivery);
    this.release(acquired);
    // The server closed an idle session before it accepted MAIL, so a new session can be tried.
    return reused && endedBeforeMail(attempt) && !this.closing ? this.tryOnce(delivery) : attempt;
  }

  private acquired(): Promise<SmtpSession | Attempt> {
    const session = this.takeIdle();
    if (session !== undefined) return Promise.resolve(session);
    if (this.openable > 0) return this.openOne();
    if (this.cannotServe) return Promise.resolve(this.unservedAttempt('paused'));
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private takeIdle(): SmtpSession | undefined {
    // The session that was used last is the least likely to have been closed by the server.
    for (let session = this.idle.pop(); session !== undefined; session = this.idle.pop()) {
      clearTimeout(this.idleTimers.get(session));
      this.idleTimers.delete(session);
      if (session.usable) return session;
      session.drop();
    }
    return undefined;
  }

  private get openable(): number {
    if (this.circuit.paused) return 0;
    const capacity = Math.max(0, this.options.maxConnections - this.open);
    return this.circuit.hasFailed ? Math.min(capacity, this.opening > 0 ? 0 : 1) : capacity;
  }

  private get cannotServe(): boolean {
    return this.open === 0 && this.circuit.paused;
  }

  private async openOne(): Promise<SmtpSession | Attempt> {
    this.open++;
    this.opening++;
    const opened = await openSession(this.options.endpoint, this.timeouts);
    this.opening--;
    if ('failure' in opened) {
      this.open--;
      if (!this.circuit.hasFailed) this.reportPause(opened.failure);
      this.circuit.failed(opened.failure);
      this.serveWaiters();
      return opened.failure;
    } else {
      if (this.circuit.hasFailed) this.reportPause();
      this.circuit.succeeded();
      this.adopt(opened.session);
      this.serveWaiters();
      return opened.session;
    }
  }

  private adopt(session: SmtpSession): void {
    session.onEnd = () => {
      this.open--;
      const at = this.idle.indexOf(session);
      if (at >= 0) this.idle.splice(at, 1);
      clearTimeout(this.idleTimers.get(session));
      this.idleTimers.delete(session);
      this.serveWaiters();
    };
  }

  private release(session: SmtpSession): void {
    const worn = session.attempts >= (this.options.maxMessagesPerConnection ?? 100);
    if (!session.usable) session.drop();
    else if (worn || (this.closing && this.waiters.length === 0)) this.retire(session);
    else if (this.waiters.length > 0) this.waiters.shift()!(session);
    else this.park(session);
  }

  private park(session: SmtpSession): void {
    this.idle.push(session);
    const timer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(session), 1);
      this.idleTimers.delete(session);
      this.retire(session);
    }, this.options.idleMs ?? 10_000);
    this.idleTimers.set(session, timer.unref());
  }

  private retire(session: SmtpSession): void {
    clearTimeout(this.idleTimers.get(session));
    const quit = session.quit().finally(() => this.quitting.delete(quit));
    this.quitting.add(quit);
  }

  private serveWaiters(): void {
    while (this.waiters.length > 0 && this.openable > 0) {
      const waiter = this.waiters.shift()!;
      void this.openOne().then(waiter);
    }
    if (this.cannotServe) for (const waiter of this.waiters.splice(0)) waiter(this.unservedAttempt('paused'));
  }

  private reportPause(failure?: Attempt): void {
    const { host, port } = this.options.endpoint;
    smtpPauseChannel.publish({ server: `${host}:${port}`, failure } satisfies SmtpPause);
  }

  private unservedAttempt(error: 'paused' | 'closed'): Attempt {
    const host = this.options.endpoint.host;
    return {
      verdict: 'no_reply',
      stage: 'connect',
      host,
      tls: false,
      durationMs: 0,
      sessionUsable: false,
      error,
    };
  }
}

function isSession(acquired: SmtpSession | Attempt): acquired is SmtpSession {
  return 'deliver' in acquired;
}

function endedBeforeMail(attempt: Attempt): boolean {
  if (attempt.stage !== 'mail' || attempt.error === 'timeout') return false;
  return attempt.reply === undefined ? attempt.verdict === 'no_reply' : attempt.reply.code === 421;
}

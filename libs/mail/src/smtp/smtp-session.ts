import { performance } from 'node:perf_hooks';
import { judge, parseReply, type Attempt, type SmtpStage } from './smtp-attempt.js';
import { SmtpTransaction, type SmtpDelivery, type SmtpTimeouts } from './smtp-transaction.js';
import type { SmtpEndpoint } from './smtp-url.js';
import { StageTrackingConnection } from './stage-tracking-connection.js';

export const defaultSmtpTimeouts: SmtpTimeouts = {
  connectMs: 30_000,
  openingStepMs: 60_000,
  commandMs: 300_000,
  dotMs: 600_000,
};

export type OpenedSession = { session: SmtpSession } | { failure: Attempt };

interface SmtpError extends Error {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
}

// nodemailer's timeouts measure inactivity, which a byte a second never exceeds; ours are deadlines.
const noTimeoutMs = 2 ** 31 - 1;
const quitMs = 2_000;
const tcpFailures = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EDNS',
]);

/** Connects, greets, secures and authenticates. A failure is an attempt, too, at which no message was sent. */
export function openSession(
  endpoint: SmtpEndpoint,
  timeouts: SmtpTimeouts = defaultSmtpTimeouts,
): Promise<OpenedSession> {
  return new Promise((resolve) => new Opening(endpoint, timeouts, resolve).start());
}

export class SmtpSession {
  attempts = 0;
  onEnd: () => void = () => undefined;
  private current?: SmtpTransaction;
  private needsReset = false;

  constructor(
    private readonly connection: StageTrackingConnection,
    private readonly endpoint: SmtpEndpoint,
    private readonly timeouts: SmtpTimeouts,
  ) {
    connection.on('error', (error: SmtpError) => this.current?.fail(error));
    connection.on('end', () => this.handleEnd());
  }

  get usable(): boolean {
    return (
      !this.connection.destroyed &&
      this.current === undefined &&
      !this.connection.hasUnexpectedReply &&
      this.connection.socket?.writable === true
    );
  }

  /** Never rejects for a fault of the server or the network. One recipient at a time. */
  async deliver(delivery: SmtpDelivery): Promise<Attempt> {
    const transaction = new SmtpTransaction(
      this.connection,
      delivery,
      this.endpoint.host,
      this.timeouts,
      this.needsReset,
    );
    this.current = transaction;
    const attempt = await transaction.run(this.usableFor(transaction));
    this.current = undefined;
    this.attempts++;
    // After a refused RCPT or DATA the transaction is still open, and MAIL would be answered with 503.
    this.needsReset = attempt.stage === 'rcpt' || attempt.stage === 'data';
    if (!attempt.sessionUsable) this.drop();
    return attempt;
  }

  drop(): void {
    this.connection.close();
  }

  quit(): Promise<void> {
    if (!this.usable) return Promise.resolve(this.drop());
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.drop(), quitMs);
      this.connection.once('end', () => {
        clearTimeout(timer);
        resolve();
      });
      this.connection.quit();
    });
  }

  private usableFor(transaction: SmtpTransaction): boolean {
    return this.current === transaction && !this.connection.destroyed && !this.connection.hasUnexpectedReply;
  }

  private handleEnd(): void {
    // nodemailer reports a 421 right after the close; only without one is the close itself the error.
    setImmediate(() => this.current?.fail(new Error('connection closed')));
    this.onEnd();
  }
}

class Opening {
  private readonly connection: StageTrackingConnection;
  private readonly startedAt = performance.now();
  private timer?: NodeJS.Timeout;
  private settled = false;

  constructor(
    private readonly endpoint: SmtpEndpoint,
    private readonly timeouts: SmtpTimeouts,
    private readonly resolve: (opened: OpenedSession) => void,
  ) {
    this.connection = new StageTrackingConnection({
      host: endpoint.host,
      port: endpoint.port,
      name: endpoint.name,
      secure: endpoint.tls === 'implicit',
      requireTLS: endpoint.tls === 'required',
      opportunisticTLS: endpoint.tls === 'opportunistic',
      ignoreTLS: endpoint.tls === 'none',
      tls: endpoint.insecure ? { rejectUnauthorized: false } : undefined,
      connectionTimeout: noTimeoutMs,
      greetingTimeout: noTimeoutMs,
      socketTimeout: noTimeoutMs,
      socketCloseTimeout: 0,
      logger: false,
    });
  }

  start(): void {
    const { connection, timeouts } = this;
    this.arm(timeouts.connectMs);
    connection.onConnected = () => this.arm(timeouts.openingStepMs);
    connection.allowsCommand = () => this.arm(timeouts.openingStepMs);
    connection.on('error', (error: SmtpError) => this.fail(error));
    connection.connect((error) => (error ? this.fail(error) : this.authenticate()));
  }

  private authenticate(): void {
    const { auth } = this.endpoint;
    if (auth === undefined) this.succeed();
    // A server that offers no AUTH, or only without TLS, must not get mail from us unauthenticated.
    else if (!this.connection.allowsAuth)
      this.settle({ failure: this.failure('auth', undefined, 'AUTH is not offered') });
    else
      this.connection.login({ ...auth, credentials: auth }, (error) =>
        error ? this.fail(error) : this.succeed(),
      );
  }

  private succeed(): void {
    this.settle({ session: new SmtpSession(this.connection, this.endpoint, this.timeouts) });
  }

  private fail(error: SmtpError): void {
    const stage = this.stageOf(error);
    this.settle({ failure: this.failure(stage, error.response, error.originalCode ?? error.message) });
  }

  private failure(stage: SmtpStage, response: string | undefined, error: string): Attempt {
    const reply = parseReply(response || undefined);
    const durationMs = performance.now() - this.startedAt;
    return {
      verdict: judge(stage, reply),
      stage,
      reply,
      host: this.endpoint.host,
      tls: this.connection.secure,
      durationMs,
      sessionUsable: false,
      error,
    };
  }

  private stageOf(error: SmtpError): SmtpStage {
    if (error.command?.startsWith('AUTH') || error.code === 'EAUTH') return 'auth';
    if (error.command === 'STARTTLS' || error.code === 'ETLS') return 'tls';
    const stage = this.connection.waitingAt;
    // With implicit TLS, an error before the greeting that TCP cannot cause is one of the handshake.
    return stage === 'connect' &&
      this.endpoint.tls === 'implicit' &&
      !tcpFailures.has(error.originalCode ?? error.code ?? '')
      ? 'tls'
      : stage;
  }

  private arm(ms: number): boolean {
    clearTimeout(this.timer);
    if (!this.settled)
      this.timer = setTimeout(
        () => this.settle({ failure: this.failure(this.connection.waitingAt, undefined, 'timeout') }),
        ms,
      );
    return true;
  }

  private settle(opened: OpenedSession): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    this.connection.onConnected = () => undefined;
    this.connection.allowsCommand = () => true;
    if ('failure' in opened) this.connection.close();
    this.resolve(opened);
  }
}

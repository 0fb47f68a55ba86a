import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { EarlyStage, LateStage, SinkFault } from './sink-behaviour.js';
import { SinkConnection, type SinkEnvelope, type SinkHost, type SinkRules } from './sink-connection.js';
import { messageIdOf, wireFaults, type SinkMessage } from './sink-message.js';
import { testCertificate, testKey } from './test-certificate.js';

export { behaviourOf, type EarlyStage, type SinkFault } from './sink-behaviour.js';
export { wireFaults, type SinkMessage } from './sink-message.js';

export interface SmtpSinkOptions {
  host?: string;
  /** 0, the default, picks a free port. */
  port?: number;
  /** `ids` drops the bodies, `count` keeps only the number. */
  keep?: 'all' | 'ids' | 'count';
  /** A file that gets one JSON line per message with a digest of its bytes, written before the reply. */
  ledger?: string;
  /** A file that counts the faults shown, across restarts. */
  memory?: string;
  /** Check every message against G21 (`SinkMessage.faults`); on with `keep: 'all'`. */
  checkWire?: boolean;
  /** Called for every message with its bytes as soon as it is stored. */
  onMessage?: (message: SinkMessage) => void;
  /** Faults at stages where the recipient is not known yet. */
  faults?: Partial<Record<EarlyStage, SinkFault>>;
  pipelining?: boolean;
  smtpUtf8?: boolean;
  startTls?: 'offered' | 'required' | 'none';
  implicitTls?: boolean;
  auth?: { user: string; pass: string };
  maxSize?: number;
  /** Delay between two bytes of a trickled reply. */
  trickleMs?: number;
}

const digestOf = (raw: Buffer): string => createHash('sha256').update(raw).digest('hex');

interface Watcher {
  done: () => boolean;
  resolve: () => void;
}

/** A real SMTP server for tests. The recipient selects its behaviour (`behaviourOf`), and messages are stored before the reply. */
export class SmtpSink implements SinkHost {
  readonly messages: SinkMessage[] = [];
  count = 0;
  connections = 0;
  rules: SinkRules;
  private readonly server: Server;
  private readonly live = new Map<Socket, SinkConnection | undefined>();
  private readonly shown = new Map<string, number>();
  private readonly watchers = new Set<Watcher>();
  private readonly late: (() => void)[] = [];
  private readonly ledgerFile?: number;
  private paused = false;

  private constructor(private readonly options: SmtpSinkOptions) {
    const {
      faults = {},
      pipelining = true,
      smtpUtf8 = true,
      startTls = 'none',
      auth,
      maxSize,
      trickleMs = 1_000,
    } = options;
    this.rules = { faults, pipelining, smtpUtf8, startTls, auth, maxSize, trickleMs };
    if (options.ledger !== undefined) this.ledgerFile = openSync(options.ledger, 'a');
    if (options.memory !== undefined && existsSync(options.memory)) {
      for (const key of readFileSync(options.memory, 'utf8').split('\n'))
        this.shown.set(key, (this.shown.get(key) ?? 0) + 1);
    }
    const accept = (socket: Socket): void => this.accept(socket);
    this.server = options.implicitTls
      ? createTlsServer({ key: testKey, cert: testCertificate }, accept)
      : createServer(accept);
    // Clients may give up during the handshake.
    this.server.on('tlsClientError', () => undefined);
  }

  static async start(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await new Promise<void>((resolve, reject) => {
      sink.server.once('error', reject);
      sink.server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
    });
    return sink;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.options.implicitTls ? 'smtps' : 'smtp'}://${this.options.host ?? '127.0.0.1'}:${this.port}`;
  }

  get envelopes(): { from: string; to: string }[] {
    return this.messages.map(({ from, to }) => ({ from, to }));
  }

  /** Waits for a number of messages or a predicate, checked on every message without polling. */
  waitFor(
    wanted: number | ((messages: readonly SinkMessage[]) => boolean),
    timeoutMs = 25_000,
  ): Promise<void> {
    return this.watch(
      typeof wanted === 'number' ? () => this.count >= wanted : () => wanted(this.messages),
      timeoutMs,
    );
  }

  /** Waits until this recipient has met a fault of limited number (`…-once@`). */
  whenShown(stage: LateStage, to: string, timeoutMs = 25_000): Promise<void> {
    return this.watch(() => this.shown.has(`${stage} ${to}`), timeoutMs);
  }

  /** Waits until no client is connected. */
  whenEmpty(timeoutMs = 25_000): Promise<void> {
    return this.watch(() => this.live.size === 0, timeoutMs);
  }

  /** Sends the replies held back by `late` without a time. */
  release(): void {
    for (const answer of this.late.splice(0)) answer();
  }

  /** Accepts connections but reads nothing, like a stopped process. */
  pause(): void {
    this.paused = true;
    for (const connection of this.live.values()) connection?.pause();
  }

  resume(): void {
    this.paused = false;
    for (const [socket, connection] of this.live) {
      if (connection === undefined) this.live.set(socket, new SinkConnection(socket, this));
      else connection.resume();
    }
  }

  /** Closes all connections, like a restart. */
  disconnect(): void {
    for (const socket of this.live.keys()) socket.destroy();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.server.close(resolve));
    if (this.ledgerFile !== undefined) closeSync(this.ledgerFile);
  }

  timesShown(key: string): number {
    const times = this.shown.get(key) ?? 0;
    this.shown.set(key, times + 1);
    if (this.options.memory !== undefined) appendFileSync(this.options.memory, `${key}\n`);
    this.look();
    return times;
  }

  record(envelope: SinkEnvelope, raw: Buffer): void {
    const { keep = 'all', checkWire = keep === 'all' } = this.options;
    this.count++;
    if (keep !== 'count' || this.ledgerFile !== undefined || this.options.onMessage !== undefined) {
      const message: SinkMessage = {
        messageId: messageIdOf(raw),
        ...envelope,
        receivedAt: Date.now(),
        faults: checkWire ? wireFaults(raw) : [],
      };
      if (this.ledgerFile !== undefined)
        writeSync(this.ledgerFile, `${JSON.stringify({ ...message, digest: digestOf(raw) })}\n`);
      this.options.onMessage?.({ ...message, raw });
      if (keep !== 'count') this.messages.push(keep === 'all' ? { ...message, raw } : message);
    }
    this.look();
  }

  whenReleased(answer: () => void): void {
    this.late.push(answer);
  }

  private accept(socket: Socket): void {
    this.connections++;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.live.delete(socket);
      this.look();
    });
    this.live.set(socket, this.paused ? undefined : new SinkConnection(socket, this));
  }

  private watch(done: () => boolean, timeoutMs: number): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(watcher);
        reject(
          new Error(
            `the sink has ${this.count} messages and ${this.live.size} clients after ${timeoutMs} ms, which does not satisfy the condition`,
          ),
        );
      }, timeoutMs);
      const watcher: Watcher = { done, resolve: () => (clearTimeout(timer), resolve()) };
      this.watchers.add(watcher);
    });
  }

  private look(): void {
    for (const watcher of this.watchers) {
      if (watcher.done()) {
        this.watchers.delete(watcher);
        watcher.resolve();
      }
    }
  }
}

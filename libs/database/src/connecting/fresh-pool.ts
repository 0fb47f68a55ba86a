import pg from 'pg';
import { isConnectionLost } from '../database-error.js';

/** When a connection of the pools of a database was lost the last time, in monotonic milliseconds. */
export interface Failures {
  lastAt: number;
}

export interface FreshPoolOptions extends pg.PoolConfig {
  failures: Failures;
}

type Lent = Parameters<Parameters<pg.Pool['connect']>[0]>;

/**
 * A connection that is older than a failure is not lent again: it may lead to a server that is no longer the primary, and would answer reads
 * of the past, or nothing for minutes. Those in use end when they are given back.
 */
export class FreshPool extends pg.Pool {
  private readonly bornAt = new WeakMap<pg.PoolClient, number>();
  private readonly failures: Failures;

  constructor(options: FreshPoolOptions) {
    super(options);
    this.failures = options.failures;
    this.on('connect', (client) => this.bornAt.set(client, performance.now()));
    this.on('release', (error: unknown) => this.note(error));
    // Without a listener, a broken idle connection would end the process.
    this.on('error', (error) => this.note(error));
    this.listenForErrors();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: (...lent: Lent) => void): void;
  override connect(callback?: (...lent: Lent) => void): Promise<pg.PoolClient> | void {
    if (callback) return this.lend(callback);
    return new Promise((resolve, reject) =>
      this.lend((error, client) => (client ? resolve(client) : reject(error!))),
    );
  }

  private lend(callback: (...lent: Lent) => void): void {
    super.connect((error, client, release) => {
      if (error) this.note(error);
      const isStale = client && (this.bornAt.get(client) ?? 0) < this.failures.lastAt;
      if (!isStale) return callback(error, client, release);
      release(true);
      this.lend(callback);
    });
  }

  private note(error: unknown): void {
    if (error instanceof Error && isConnectionLost(error)) this.failures.lastAt = performance.now();
  }

  /** A connection may break when the pool lends it: without a listener that would end the process. */
  private listenForErrors(): void {
    const known = new WeakSet<pg.PoolClient>();
    this.on('acquire', (client) => {
      if (known.has(client)) return;
      known.add(client);
      client.on('error', () => undefined);
    });
  }
}

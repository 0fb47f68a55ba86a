import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Tracing, inSpan, isRecorded, type SpanOptions } from '@posthorn/telemetry';
import type { Client, ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DataSource, DataSourceOptions, EntityManager, QueryRunner } from 'typeorm';
import type { FactoryProvider, Type } from '@nestjs/common';
import type { Connection } from './connecting/connection.js';
import { copyOut, withLiterals } from './copy/copy-out.js';
import { isDatabaseAway, isSerializationFailure } from './database-error.js';
import { TransactionEnded, TransactionTimedOut, within } from './transaction-limits.js';

const attempts = 3;
const asClient: SpanOptions = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } };

export interface Statement {
  name: string;
  /** Planned each time, because the best join depends on the number of rows. */
  replanned?: boolean;
  sql: string;
  parameters: unknown[];
  /** What `onCommit` registered for every commit of this process, such as a look for due work, is not called: the statement makes nothing due. */
  skipsCommitListeners?: boolean;
}

interface Ambient {
  runner: QueryRunner;
  /** Set before COMMIT or ROLLBACK, after which the connection may already serve another transaction. */
  ended: boolean;
  onCommit: (() => void)[];
  onInserts: Set<() => void>;
}

export interface PoolUse {
  pool: 'ordinary' | 'hot';
  total: number;
  idle: number;
  waiting: number;
  max: number;
}

export interface DirectConnection extends Connection {
  migrations: DataSourceOptions['migrations'];
  name: string;
}

/** Statements inside of `transaction` join it without passing a manager around. */
export class Database {
  private readonly ambient = new AsyncLocalStorage<Ambient>();
  private readonly commitListeners = new Set<() => void>();
  private readonly insertListeners = new InsertListeners();

  constructor(
    readonly source: DataSource,
    private readonly ordinary: Pool,
    private readonly hot: Pool,
    readonly tracing: Tracing = new Tracing(),
    /** Past any pooler, for what needs a session. */
    readonly direct: DirectConnection,
  ) {}

  get pools(): PoolUse[] {
    return [useOf('ordinary', this.ordinary), useOf('hot', this.hot)];
  }

  /** Throws `TransactionEnded` in work that outlived its transaction. */
  get manager(): EntityManager {
    return this.joined()?.runner.manager ?? this.source.manager;
  }

  /** Joins the ambient transaction, whose limit counts. `work` runs again after serialization failures and
   * deadlocks. Past `limitMs` the connection is closed, so that the locks are released at once. */
  async transaction<T>(work: () => Promise<T>, { limitMs }: { limitMs?: number } = {}): Promise<T> {
    if (this.joined()) return work();
    return inSpan('transaction', asClient, () => repeated(() => this.runOnce(work, limitMs)));
  }

  /** After the commit of the ambient transaction, or at once where there is none. It must not throw. */
  afterCommit(listener: () => void): void {
    const ambient = this.ambient.getStore();
    if (ambient) ambient.onCommit.push(listener);
    else listener();
  }

  /** Calls `listener` after transactions and hot statements, but not those in one write; it must not throw. */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** Calls `listener` after commits of this process that inserted into `tables`; it must not throw. */
  onInsert(tables: readonly string[], listener: () => void): () => void {
    return this.insertListeners.add(tables, listener);
  }

  /** Outside of the ambient transaction, so that it commits even if that is rolled back. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.exit(work);
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return isRecorded()
      ? inSpan(summaryOf(sql), asClient, () => this.request<Row>(sql, parameters))
      : this.request<Row>(sql, parameters);
  }

  /**
   * As `query`, planned once by each connection: for statements of a fixed text that run often, of which planning
   * would be half of the cost. Each text stays with the connection, so it must not be made of what callers give. The
   * plan may be from a time when its tables were small: not for what joins or scans a table that grows quickly.
   */
  async often<Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const name = nameOf(sql);
    return isRecorded()
      ? inSpan(summaryOf(sql), asClient, () => this.request<Row>(sql, parameters, name))
      : this.request<Row>(sql, parameters, name);
  }

  private async request<Row>(sql: string, parameters: unknown[], name?: string): Promise<Row[]> {
    const ambient = this.joined();
    if (ambient) {
      this.insertListeners.collect(sql, ambient.onInserts);
      return name === undefined
        ? rowsOf<Row>(ambient.runner, sql, parameters)
        : rowsOfNamed<Row>(await clientOf(ambient.runner), { name, sql, parameters });
    }
    const rows = await rowsOfOne<Row>(this.ordinary, { name, text: sql, values: parameters });
    this.insertListeners.notify(sql);
    return rows;
  }

  /** Bytes, because text would grow the heap. `take` must copy them: the driver reuses the buffer. */
  copyOut(
    select: string,
    parameters: readonly (string | number)[],
    take: (bytes: Buffer) => void,
  ): Promise<void> {
    const sql = withLiterals(select, parameters);
    return inSpan(summaryOf(select), asClient, () =>
      this.withRunner(async (runner) => copyOut(await clientOf(runner), sql, take)),
    );
  }

  private async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const ambient = this.joined();
    if (ambient) return work(ambient.runner);
    const runner = this.source.createQueryRunner();
    try {
      return await work(runner);
    } catch (error) {
      await giveBack(runner, error);
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** Outside of a transaction the statement commits by itself, and is repeated after serialization failures. */
  async prepared<Row>(statement: Statement): Promise<Row[]> {
    return inSpan(statement.name, asClient, async () => {
      const ambient = this.joined();
      if (ambient) {
        this.insertListeners.collect(statement.sql, ambient.onInserts);
        return rowsOfNamed<Row>(await clientOf(ambient.runner), statement);
      }
      const rows = await repeated(() => rowsOfOne<Row>(this.hot, named(statement)));
      this.insertListeners.notify(statement.sql);
      if (!statement.skipsCommitListeners) for (const listener of this.commitListeners) listener();
      return rows;
    });
  }

  /** BEGIN, the statements and COMMIT in one network write, so the transaction costs one round trip. */
  transactionInOneWrite(statements: Statement[]): Promise<unknown[][]> {
    return isRecorded()
      ? inSpan(statements.map(({ name }) => name).join(' + '), asClient, () => this.send(statements))
      : this.send(statements);
  }

  private async send(statements: Statement[]): Promise<unknown[][]> {
    const client = await this.hot.connect();
    const settled = await Promise.allSettled(inOneWrite(client, statements));
    const failed = settled.find((each) => each.status === 'rejected');
    client.release(isDatabaseAway(failed?.reason) ? (failed!.reason as Error) : undefined);
    if (failed) throw failed.reason;
    for (const { sql } of statements) this.insertListeners.notify(sql);
    return settled.slice(1, -1).map((each) => (each as PromiseFulfilledResult<unknown[]>).value);
  }

  async close(): Promise<void> {
    await this.hot.end();
    await this.source.destroy();
  }

  private joined(): Ambient | undefined {
    const ambient = this.ambient.getStore();
    if (ambient?.ended) throw new TransactionEnded();
    return ambient;
  }

  private async runOnce<T>(work: () => Promise<T>, limitMs?: number): Promise<T> {
    const runner = this.source.createQueryRunner();
    const ambient: Ambient = { runner, ended: false, onCommit: [], onInserts: new Set() };
    const running = () => this.ambient.run(ambient, work);
    let backend = Promise.resolve<number | null>(null);
    try {
      await runner.startTransaction();
      if (limitMs !== undefined) backend = backendOf(await clientOf(runner));
      const result = await (limitMs === undefined ? running() : within(limitMs, running()));
      ambient.ended = true;
      await runner.commitTransaction();
      for (const listener of [...ambient.onCommit, ...this.commitListeners, ...ambient.onInserts]) listener();
      return result;
    } catch (error) {
      ambient.ended = true;
      if (error instanceof TransactionTimedOut) await this.closeConnection(runner, backend);
      else if (isDatabaseAway(error)) await giveBack(runner, error);
      else if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** A ROLLBACK would wait for the statement that hangs; Postgres notices a closed socket only after it. */
  private async closeConnection(runner: QueryRunner, backend: Promise<number | null>): Promise<void> {
    const client = (await clientOf(runner)) as unknown as Client;
    const { stream } = client.connection;
    if (!stream.destroyed) {
      // Before that, the pool would lend the connection again.
      const closed = new Promise<void>((resolve) => client.once('end', resolve));
      stream.destroy();
      await closed;
    }
    const pid = await backend;
    if (pid === null) return;
    await this.apart(() => this.query('SELECT pg_terminate_backend($1)', [pid])).catch(() => undefined);
  }
}

/** Asked of the server: what the driver knows is the number that a pooler made up. Null where it did not answer. */
const backendOf = (client: ClientBase): Promise<number | null> =>
  client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid').then(
    ({ rows }) => rows[0]!.pid,
    () => null,
  );

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isSerializationFailure(error)) throw error;
    }
  }
}

function useOf(pool: PoolUse['pool'], { totalCount, idleCount, waitingCount, options }: Pool): PoolUse {
  return { pool, total: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
}

async function rowsOf<Row>(runner: QueryRunner, sql: string, parameters: unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, parameters, true);
  return (result.records ?? []) as Row[];
}

/** Releases in the callback of the result: TypeORM's later release lets large results grow old. */
async function rowsOfOne<Row>(pool: Pool, requested: QueryConfig): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      pool.connect((connectError, client, release) => {
        if (!client) return reject(connectError!);
        client.query(requested, (failure: Error | null, result) => {
          // The server announces its shutdown before the connection ends: it must not be lent again.
          release(isDatabaseAway(failure) ? failure! : undefined);
          if (failure) reject(failure);
          // Several statements in one text have an array of results, without `rows`.
          else resolve(((result as QueryResult | undefined)?.rows ?? []) as Row[]);
        });
      });
    });
  } catch (error) {
    // The stack of the caller is more useful than that of the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

async function clientOf(runner: QueryRunner): Promise<ClientBase> {
  return (await runner.connect()) as ClientBase;
}

/** With the error, so that a connection to a server that is going is closed; TypeORM's `release` takes none. */
async function giveBack(runner: QueryRunner, error: unknown): Promise<void> {
  if (!isDatabaseAway(error)) return;
  await (runner as unknown as ClosingRunner).releasePostgresConnection(error as Error);
}

interface ClosingRunner {
  releasePostgresConnection(error: Error): Promise<void>;
}

async function rowsOfNamed<Row>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query(named(statement));
  return rows as Row[];
}

const named = ({ name, replanned, sql, parameters }: Statement): QueryConfig => ({
  ...(replanned ? {} : { name }),
  text: sql,
  values: parameters,
});

/** Corked, because each write wakes up the server. */
function inOneWrite(client: PoolClient, statements: Statement[]): Promise<unknown>[] {
  const { stream } = (client as unknown as Client).connection;
  stream.cork();
  try {
    return [
      client.query('BEGIN'),
      ...statements.map((statement) => rowsOfNamed(client, statement)),
      client.query('COMMIT'),
    ];
  } finally {
    stream.uncork();
  }
}

const names = new Map<string, string>();

/** The same text has the same name everywhere, because connections of one pool serve all of a service. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known) return known;
  const name = `often ${createHash('sha256').update(sql).digest('base64url').slice(0, 24)}`;
  names.set(sql, name);
  return name;
}

const summaries = [
  /\b(INSERT INTO)\s+(\w+)/,
  /\b(UPDATE)\s+(\w+)/,
  /\b(DELETE FROM)\s+(\w+)/,
  /\b(SELECT)\b[\s\S]*?\bFROM\s+(\w+)/,
];

function summaryOf(sql: string): string {
  const [, verb, table] = summaries.map((pattern) => pattern.exec(sql)).find((match) => match !== null) ?? [];
  return verb ? `${verb} ${table}` : 'statement';
}

interface InsertListener {
  statement: RegExp;
  notify: () => void;
}

/** Found by the text of the statements: a writer cannot forget to notify. */
class InsertListeners {
  private readonly listeners = new Set<InsertListener>();

  add(tables: readonly string[], notify: () => void): () => void {
    const listener = { statement: new RegExp(`\\bINSERT INTO (?:${tables.join('|')})\\b`), notify };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  collect(sql: string, inserted: Set<() => void>): void {
    for (const { statement, notify } of this.listeners)
      if (!inserted.has(notify) && statement.test(sql)) inserted.add(notify);
  }

  notify(sql: string): void {
    for (const { statement, notify } of this.listeners) if (statement.test(sql)) notify();
  }
}

export const onDatabase = (classes: Type[], ...others: Type[]): FactoryProvider[] =>
  classes.map((provide) => ({
    provide,
    useFactory: (...taken: unknown[]) => new provide(...taken) as object,
    inject: [Database, ...others],
  }));

import { AsyncLocalStorage } from 'node:async_hooks';
import { Tracing, inSpan, isRecorded, type SpanOptions } from '@posthorn/telemetry';
import type { Client, ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from './data-source.js';
import { copyOut, withLiterals } from './copy/copy-out.js';
import { isDatabaseAway, isSerializationFailure } from './database-error.js';
import { InsertListeners } from './insert-listeners.js';

const attempts = 3;
const asClient: SpanOptions = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } };

/** A statement of the hot path: named, so that each connection plans it once. */
export interface Statement {
  name: string;
  /** Planned anew each time: how many rows come along decides how they are joined. */
  replanned?: boolean;
  sql: string;
  parameters: unknown[];
  /** Listeners of `onCommit` are not called: nothing can follow from this statement. */
  quiet?: boolean;
}

interface Ambient {
  runner: QueryRunner;
  /** Called once the transaction has committed. */
  committed: (() => void)[];
  /** Called then, too: listeners of tables that it inserted into. */
  inserted: Set<() => void>;
}

export interface PoolUse {
  pool: 'ordinary' | 'hot';
  total: number;
  idle: number;
  waiting: number;
  max: number;
}

/**
 * The service's own database. `transaction` opens an ambient transaction: whatever is asked inside it, by whichever
 * repository, joins it, so nobody passes a manager around.
 */
export class Database {
  private readonly ambient = new AsyncLocalStorage<Ambient>();
  private readonly commitListeners = new Set<() => void>();
  private readonly insertListeners = new InsertListeners();

  constructor(
    readonly source: DataSource,
    /** Those that the source lends. */
    private readonly ordinary: Pool,
    /** Connections of their own for the hot path (`openDatabase` says what is special about them). */
    private readonly hot: Pool,
    readonly tracing: Tracing = new Tracing(),
  ) {}

  /** How full the connections are, as `/metrics` shows it. */
  get pools(): PoolUse[] {
    return [useOf('ordinary', this.ordinary), useOf('hot', this.hot)];
  }

  get manager(): EntityManager {
    return this.ambient.getStore()?.runner.manager ?? this.source.manager;
  }

  /** Runs `work` in one transaction, or joins the ambient one. Serialization failures and deadlocks are repeated. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.ambient.getStore()) return work();
    return inSpan('transaction', asClient, () => repeated(() => this.runOnce(work)));
  }

  /**
   * Calls `listener` once the ambient transaction has committed, and not at all where it is rolled back; at once where there is none. The
   * listener must not throw: nobody is left to hear of it.
   */
  afterCommit(listener: () => void): void {
    const ambient = this.ambient.getStore();
    if (ambient) ambient.committed.push(listener);
    else listener();
  }

  /** Calls `listener` after every transaction of this process and every statement of the hot path; it must not throw. Answers how to stop. */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** Calls `listener` after each commit of this process that inserted into one of `tables`; it must not throw. Answers how to stop. */
  onInsert(tables: readonly string[], listener: () => void): () => void {
    return this.insertListeners.add(tables, listener);
  }

  /** Outside of the ambient transaction: what must stand, or be seen by others, whatever becomes of it. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.exit(work);
  }

  /** The rows of one statement, whatever its kind. */
  async query<Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return isRecorded()
      ? inSpan(summaryOf(sql), asClient, () => this.request<Row>(sql, parameters))
      : this.request<Row>(sql, parameters);
  }

  private async request<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const ambient = this.ambient.getStore();
    if (ambient) {
      this.insertListeners.collect(sql, ambient.inserted);
      return rowsOf<Row>(ambient.runner, sql, parameters);
    }
    const rows = await rowsOfOne<Row>(this.ordinary, { text: sql, values: parameters });
    this.insertListeners.notify(sql);
    return rows;
  }

  /**
   * The bytes of the only column of a SELECT, one value after another: megabytes that never become text, for which the heap would
   * grow. They are the driver's: `take` copies what it wants before it returns.
   */
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

  /** Inside of the ambient transaction where there is one. */
  private async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const ambient = this.ambient.getStore();
    if (ambient) return work(ambient.runner);
    const runner = this.source.createQueryRunner();
    try {
      return await work(runner);
    } finally {
      await runner.release();
    }
  }

  /** One statement of the hot path. Outside of a transaction it commits by itself, and is repeated as one. */
  async prepared<Row>(statement: Statement): Promise<Row[]> {
    return inSpan(statement.name, asClient, async () => {
      const ambient = this.ambient.getStore();
      if (ambient) {
        this.insertListeners.collect(statement.sql, ambient.inserted);
        return rowsOfNamed<Row>(await clientOf(ambient.runner), statement);
      }
      const rows = await repeated(() => rowsOfOne<Row>(this.hot, named(statement)));
      this.insertListeners.notify(statement.sql);
      if (!statement.quiet) for (const listener of this.commitListeners) listener();
      return rows;
    });
  }

  /**
   * A whole transaction in one round trip: the statements are sent together, each still sees what was committed before
   * it began. None may depend on the answer of another.
   */
  trip(statements: Statement[]): Promise<unknown[][]> {
    return isRecorded()
      ? inSpan(statements.map(({ name }) => name).join(' + '), asClient, () => this.send(statements))
      : this.send(statements);
  }

  private async send(statements: Statement[]): Promise<unknown[][]> {
    const client = await this.hot.connect();
    try {
      const settled = await Promise.allSettled(inOneWrite(client, statements));
      // After a failed statement COMMIT rolls back; where even that did not arrive, the connection is gone.
      const failed = settled.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
      for (const { sql } of statements) this.insertListeners.notify(sql);
      return settled.slice(1, -1).map((each) => (each as PromiseFulfilledResult<unknown[]>).value);
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.hot.end();
    await this.source.destroy();
  }

  private async runOnce<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    const ambient: Ambient = { runner, committed: [], inserted: new Set() };
    try {
      await runner.startTransaction();
      const result = await this.ambient.run(ambient, work);
      await runner.commitTransaction();
      for (const listener of [...ambient.committed, ...this.commitListeners, ...ambient.inserted]) listener();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** Who lost to another transaction begins again. */
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

/**
 * One statement on a connection that is given back in the instant of its answer. Given back later, as the source's own runners do, rows outlive
 * what the collector takes for young, and it carries all of them along: 2 ms every few pages of a hundred instead of 0.3.
 */
async function rowsOfOne<Row>(pool: Pool, requested: QueryConfig): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      pool.connect((away, client, release) => {
        if (!client) return reject(away!);
        client.query(requested, (failure: Error | null, result) => {
          // The server says that it goes before the connection ends: nobody else shall ask there.
          release(isDatabaseAway(failure));
          if (failure) reject(failure);
          // Of several statements in one text there are several results, and no rows.
          else resolve(((result as QueryResult | undefined)?.rows ?? []) as Row[]);
        });
      });
    });
  } catch (error) {
    // As the driver does for promises: who asked is worth more than the socket that was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** TypeORM's runner hands out the driver's own client; only that one knows named statements. */
async function clientOf(runner: QueryRunner): Promise<ClientBase> {
  return (await runner.connect()) as ClientBase;
}

async function rowsOfNamed<Row>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query(named(statement));
  return rows as Row[];
}

const named = ({ name, replanned: replanned, sql, parameters }: Statement): QueryConfig => ({
  ...(replanned ? {} : { name }),
  text: sql,
  values: parameters,
});

/** Each write wakes the server up, which costs more than what is written. */
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

/** The change that a statement makes comes before what it looks at. */
const summaries = [
  /\b(INSERT INTO)\s+(\w+)/,
  /\b(UPDATE)\s+(\w+)/,
  /\b(DELETE FROM)\s+(\w+)/,
  /\b(SELECT)\b[\s\S]*?\bFROM\s+(\w+)/,
];

/** What a statement is about, as its span is called: its values are parameters and never part of it. */
function summaryOf(sql: string): string {
  const [, verb, table] = summaries.map((pattern) => pattern.exec(sql)).find((match) => match !== null) ?? [];
  return verb ? `${verb} ${table}` : 'statement';
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, QueryRunner } from './data-source.js';
import { isSerializationFailure } from './database-error.js';

const attempts = 3;

/**
 * The service's own database. `transaction` opens an ambient transaction: whatever is asked inside it, by whichever
 * repository, joins it, so nobody passes a manager around.
 */
export class Database {
  private readonly ambient = new AsyncLocalStorage<QueryRunner>();

  constructor(readonly source: DataSource) {}

  get manager(): EntityManager {
    return this.ambient.getStore()?.manager ?? this.source.manager;
  }

  /** Runs `work` in one transaction, or joins the ambient one. Serialization failures and deadlocks are repeated. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.ambient.getStore()) return work();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (attempt >= attempts || !isSerializationFailure(error)) throw error;
      }
    }
  }

  /** The rows of one statement, whatever its kind. */
  async query<Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const ambient = this.ambient.getStore();
    if (ambient) return rowsOf<Row>(ambient, sql, parameters);
    const runner = this.source.createQueryRunner();
    try {
      return await rowsOf<Row>(runner, sql, parameters);
    } finally {
      await runner.release();
    }
  }

  private async runOnce<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      await runner.startTransaction();
      const result = await this.ambient.run(runner, work);
      await runner.commitTransaction();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

async function rowsOf<Row>(runner: QueryRunner, sql: string, parameters: unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, parameters, true);
  return (result.records ?? []) as Row[];
}

import type { Database, QueryRunner } from '@posthorn/database';

interface Answered {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

interface Client {
  query(sql: string, parameters: readonly unknown[]): Promise<Answered>;
}

/** Gives the library's query builder the service's connections, so that its statements join the ambient transaction. */
export class ServicePool {
  constructor(private readonly database: Database) {}

  async connect(): Promise<Client & { release(): void }> {
    const ambient = this.database.manager.queryRunner;
    const runner: QueryRunner = ambient ?? this.database.source.createQueryRunner();
    const client = (await runner.connect()) as Client;
    return {
      query: (sql, parameters) => client.query(sql, parameters),
      release: () => void (ambient ? undefined : runner.release()),
    };
  }

  /** The service closes its connections itself. */
  async end(): Promise<void> {
    await Promise.resolve();
  }
}

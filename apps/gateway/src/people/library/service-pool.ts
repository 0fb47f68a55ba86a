import type { Database, QueryRunner } from '@posthorn/database';

interface Answered {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

interface Client {
  query(sql: string, parameters: readonly unknown[]): Promise<Answered>;
}

/** The service's own connections in the shape that a query builder asks for: what it says joins the ambient transaction. */
export class ServicePool {
  constructor(private readonly database: Database) {}

  async connect(): Promise<Client & { release(): void }> {
    const ambient = this.database.manager.queryRunner;
    // The library goes on when nobody waits for it any more; its connection may be somebody else's by then.
    if (ambient?.isReleased) throw new Error('The transaction that this belongs to has ended');
    const runner: QueryRunner = ambient ?? this.database.source.createQueryRunner();
    const client = (await runner.connect()) as Client;
    return {
      query: (sql, parameters) => client.query(sql, parameters),
      release: () => void (ambient ? undefined : runner.release()),
    };
  }

  /** The connections are the service's to close. */
  async end(): Promise<void> {
    await Promise.resolve();
  }
}

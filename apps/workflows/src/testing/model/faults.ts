import { setTimeout as delay } from 'node:timers/promises';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '@posthorn/database';
import type { WorkBatch, WorkHandler, WorkKind, WorkRunner } from '@posthorn/work';
import type { Random } from './random.js';

class Crash extends Error {
  override readonly name = 'Crash';
}

/** What befalls workers while they hold items: they end at any statement, stand still, or lose their lease and go on without knowing. */
export class Faults {
  readonly counts = { runs: 0, crashes: 0, pauses: 0, lostLeases: 0 };
  active = true;
  private readonly underWay = new AsyncLocalStorage<WorkBatch>();
  private readonly pending = new Set<Promise<unknown>>();

  constructor(
    private readonly random: Random,
    private readonly database: Database,
    /** By the keys of items: whose handler may go on after another one took its item. */
    private readonly mayLoseLease: (key: string) => boolean,
  ) {}

  /** Registers handlers so that their statements can fail. */
  around(runner: WorkRunner): WorkRunner {
    const register = <Payload extends object>(kind: WorkKind<Payload>, handler: WorkHandler<Payload>): void =>
      runner.register(kind, {
        run: (batch) => {
          this.counts.runs += 1;
          return this.underWay.run(batch as WorkBatch, () => handler.run(batch));
        },
        dead: (item, error) => handler.dead!(item, error),
      });
    return { register } as WorkRunner;
  }

  /** Statements of handlers, and the instants before and after a commit. */
  into(database: Database): void {
    const query = database.query.bind(database);
    const transaction = database.transaction.bind(database);
    database.query = async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
      await this.point();
      const rows = await query<Row>(sql, parameters);
      await this.point();
      return rows;
    };
    database.transaction = async (work, options) => {
      const result = await transaction(async () => {
        const worked = await work();
        await this.point();
        return worked;
      }, options);
      await this.point();
      return result;
    };
  }

  async settled(): Promise<void> {
    await Promise.all(this.pending);
  }

  private async point(): Promise<void> {
    const batch = this.underWay.getStore();
    if (!batch || !this.active) return;
    if (this.random.chance(0.004)) this.loseLease(batch);
    if (this.random.chance(0.01)) {
      this.counts.pauses += 1;
      await delay(1 + this.random.below(10));
    }
    if (!this.random.chance(0.006)) return;
    this.counts.crashes += 1;
    throw new Crash('the process ends here');
  }

  /** Not awaited: the transaction of the handler may hold the rows. */
  private loseLease(batch: WorkBatch): void {
    const keys = batch.items
      .map(({ key }) => key!)
      .filter((key) => this.mayLoseLease(key) && this.random.chance(0.5));
    const lost = this.database
      .query(
        `UPDATE work_items SET state = 'READY', lease_token = lease_token + 1, worker_id = NULL, claims = 0
         WHERE id = ANY (ARRAY(SELECT id FROM work_items WHERE key = ANY ($1::text[]) AND state = 'CLAIMED' FOR UPDATE SKIP LOCKED)) RETURNING id`,
        [keys],
      )
      .then((rows) => (this.counts.lostLeases += rows.length));
    this.pending.add(lost);
    void lost.finally(() => this.pending.delete(lost));
  }
}

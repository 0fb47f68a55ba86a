import { maxFactItems, toldAddressOf, type FactContract } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { actingCaller } from './acting.js';

/** Facts wait here until JetStream has them: nothing is on the wire before its commit. */
export class Outbox {
  private wake: () => void = () => undefined;
  private told = false;

  constructor(private readonly database: Database) {}

  /** Writes the fact into the ambient transaction; one row for each 256 items. */
  async publish<Item extends object>(fact: FactContract<Item>, projectId: string, items: Item[]): Promise<void> {
    this.told = true;
    const caller = actingCaller();
    for (let first = 0; first < items.length; first += maxFactItems) {
      const part = items.slice(first, first + maxFactItems);
      await this.database.query(
        `INSERT INTO outbox (id, project_id, fact, items, traces, actor, address) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          newId(),
          projectId,
          fact.name,
          JSON.stringify(part),
          currentTraces(),
          caller ? JSON.stringify(caller.actor) : null,
          caller ? toldAddressOf(caller) : null,
        ],
      );
    }
  }

  /** Rings the relay: call it after the commit. A relay that hears nothing looks by itself each second. */
  ring(): void {
    this.told = false;
    this.wake();
  }

  /** Rings where facts were written since the last time. */
  ringIfTold(): void {
    if (this.told) this.ring();
  }

  onRing(wake: () => void): void {
    this.wake = wake;
  }

  /** Seconds that the oldest unpublished fact has waited: the truth about the bus's health (guarantees.md §1.1). One look, however many wait. */
  async age(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `SELECT greatest(0, extract(epoch FROM now() - created_at))::float8 AS age FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT 1`,
    );
    return row?.age ?? 0;
  }

  /** How many wait to be published, up to ten thousand. */
  async unpublished(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM outbox WHERE published_at IS NULL LIMIT 10000) AS waiting`,
    );
    return row!.count;
  }
}

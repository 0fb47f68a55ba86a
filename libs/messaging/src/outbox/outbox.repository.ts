import { publishedAddressOf, type EventContract } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { actingCaller } from '../calls/acting.js';
import { EventRows } from './event-rows.js';

/** Of a row that the relay is to publish. */
export const isWaiting = `published_at IS NULL AND quarantined_at IS NULL`;

/** Events wait here until JetStream has them: nothing is on the wire before its commit. */
export class Outbox {
  private wake: () => void = () => undefined;
  private published = false;

  constructor(private readonly database: Database) {}

  /** Writes the event into the ambient transaction; one row for as many items as one event may carry. */
  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: Item[],
  ): Promise<void> {
    this.published = true;
    const caller = actingCaller();
    const rows = new EventRows();
    const written = items.map((item) => JSON.stringify(item));
    for (const [id, part] of Map.groupBy(written, (item) =>
      rows.idFor(event.name, Buffer.byteLength(item)),
    )) {
      await this.database.query(
        `INSERT INTO outbox (id, project_id, fact, items, traces, actor, address) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          projectId,
          event.name,
          `[${part.join(',')}]`,
          currentTraces(),
          caller ? JSON.stringify(caller.actor) : null,
          caller ? publishedAddressOf(caller) : null,
        ],
      );
    }
  }

  /** Wakes the relay, which also hears of every commit of this process and otherwise looks by itself every ten seconds. */
  wakeUp(): void {
    this.published = false;
    this.wake();
  }

  /** Rings where events were written since the last time. */
  wakeIfPublished(): void {
    if (this.published) this.wakeUp();
  }

  onWakeUp(wake: () => void): void {
    this.wake = wake;
  }

  /** Seconds that the oldest unpublished event has waited: the truth about the bus's health (docs/guarantees.md §1.1). One look, however many wait. */
  async age(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `SELECT greatest(0, extract(epoch FROM now() - created_at))::float8 AS age FROM outbox WHERE ${isWaiting} ORDER BY id LIMIT 1`,
    );
    return row?.age ?? 0;
  }

  /** How many wait to be published, up to ten thousand. */
  async unpublished(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM outbox WHERE ${isWaiting} LIMIT 10000) AS waiting`,
    );
    return row!.count;
  }

  /** How many the bus can never take, up to ten thousand. */
  async quarantined(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM outbox WHERE published_at IS NULL AND quarantined_at IS NOT NULL LIMIT 10000
       ) AS quarantined`,
    );
    return row!.count;
  }
}

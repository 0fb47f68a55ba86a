import { publishedAddressOf, type EventContract } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { actingCaller } from '../calls/acting.js';
import { EventRows } from './event-rows.js';
import { outboxInsert } from './outbox-insert.js';

/** Of a row that the relay is to publish. */
export const isWaiting = `published_at IS NULL AND quarantined_at IS NULL`;

const insertSql = outboxInsert({
  id: '$1::uuid',
  projectId: '$2::uuid',
  fact: '$3',
  items: '$4::jsonb',
  traces: '$5',
  actor: '$6::jsonb',
  address: '$7',
});

/** Events wait here until JetStream has them: nothing is on the wire before its commit. */
export class Outbox {
  constructor(private readonly database: Database) {}

  /** Writes the event into the ambient transaction; one row for as many items as one event may carry. */
  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: Item[],
  ): Promise<void> {
    const caller = actingCaller();
    const rows = new EventRows();
    const written = items.map((item) => JSON.stringify(item));
    for (const [id, part] of Map.groupBy(written, (item) =>
      rows.idFor(event.name, Buffer.byteLength(item)),
    )) {
      await this.database.query(insertSql, [
        id,
        projectId,
        event.name,
        `[${part.join(',')}]`,
        currentTraces(),
        caller ? JSON.stringify(caller.actor) : null,
        caller ? publishedAddressOf(caller) : null,
      ]);
    }
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

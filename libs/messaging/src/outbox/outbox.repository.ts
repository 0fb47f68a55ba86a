import { publishedIpAddressOf, type EventContract } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { actingCaller } from '../calls/acting.js';
import { OutboxRowPacker } from './outbox-row-packer.js';
import { outboxInsert } from './outbox-insert.js';

export const isWaiting = `published_at IS NULL AND quarantined_at IS NULL`;

const insertSql = outboxInsert({
  id: '$1::uuid',
  projectId: '$2::uuid',
  eventName: '$3',
  items: '$4::jsonb',
  traces: '$5',
  actor: '$6::jsonb',
  ipAddress: '$7',
});

/** The relay sends events to JetStream only after their commit. */
export class Outbox {
  constructor(private readonly database: Database) {}

  /** Writes into the ambient transaction, with as many rows as the size limit of an event requires. */
  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: Item[],
  ): Promise<void> {
    const caller = actingCaller();
    const rows = new OutboxRowPacker();
    const written = items.map((item) => JSON.stringify(item));
    for (const [id, part] of Map.groupBy(written, (item) =>
      rows.rowIdFor(event.name, Buffer.byteLength(item)),
    )) {
      await this.database.query(insertSql, [
        id,
        projectId,
        event.name,
        `[${part.join(',')}]`,
        currentTraces(),
        caller ? JSON.stringify(caller.actor) : null,
        caller ? publishedIpAddressOf(caller) : null,
      ]);
    }
  }

  /** The age of the oldest unpublished event is the health of the bus (docs/guarantees.md §1.1). */
  async age(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(
      `SELECT greatest(0, extract(epoch FROM now() - created_at))::float8 AS age FROM outbox WHERE ${isWaiting} ORDER BY id LIMIT 1`,
    );
    return row?.age ?? 0;
  }

  async unpublished(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM outbox WHERE ${isWaiting} LIMIT 10000) AS waiting`,
    );
    return row!.count;
  }

  async quarantined(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM outbox WHERE published_at IS NULL AND quarantined_at IS NOT NULL LIMIT 10000
       ) AS quarantined`,
    );
    return row!.count;
  }
}

import { publishedIpAddressOf, type EventContract, maxEventBytes, maxEventItems } from '@posthorn/contracts';
import { type Database, newId, lowestIdOf, type PartitionPlan } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { actingCaller } from '../calls/acting.js';
import { itemId } from '../events/item-id.js';

/** The metadata of an e-mail is the longest member: 20 texts of 500 characters, each of which may take six bytes in JSON. */
const maxItemBytes = 64 * 1024;

export interface OutboxColumns {
  id: string;
  projectId: string;
  eventName: string;
  items: string;
  traces?: string;
  actor?: string;
  ipAddress?: string;
}

const columnNames: Record<keyof OutboxColumns, string> = {
  id: 'id',
  projectId: 'project_id',
  eventName: 'event_name',
  items: 'items',
  traces: 'traces',
  actor: 'actor',
  ipAddress: 'ip_address',
};

/** For statements that change rows and publish that at once; all others use `Outbox.publish`. */
export function outboxInsert(columns: OutboxColumns, from = ''): string {
  const names = (Object.keys(columns) as (keyof OutboxColumns)[]).filter((name) => columns[name]);
  return `INSERT INTO outbox (${names.map((name) => columnNames[name]).join(', ')})
    SELECT ${names.map((name) => columns[name]).join(', ')} ${from}`;
}

/** Packs rows with project_id, name, item, trace and row_index into as few events as the limits allow. */
export function packedOutboxInsert(rows: string): string {
  return outboxInsert(
    {
      id: 'uuidv7()',
      projectId: 'packed.project_id',
      eventName: 'packed.name',
      items: 'jsonb_agg(packed.item ORDER BY packed.row_index)',
      traces: `string_agg(DISTINCT packed.trace, ',')`,
    },
    `FROM (
      SELECT r.*, (row_number() OVER earlier - 1) / ${maxEventItems} AS by_count,
             sum(octet_length(r.item::text)) OVER earlier / ${maxEventBytes - maxItemBytes} AS by_bytes
      FROM (${rows}) AS r WINDOW earlier AS (PARTITION BY r.project_id, r.name ORDER BY r.row_index ROWS UNBOUNDED PRECEDING)
    ) AS packed GROUP BY packed.project_id, packed.name, packed.by_count, packed.by_bytes`,
  );
}

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

  /** Writes into the ambient transaction, with as many rows as the size limit of an event requires. Returns the ids of the items. */
  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: Item[],
  ): Promise<string[]> {
    const caller = actingCaller();
    const rows = new OutboxRowPacker();
    const ids: string[] = [];
    const written = items.map((item) => JSON.stringify(item));
    for (const [id, part] of Map.groupBy(written, (item) =>
      rows.rowIdFor(event.name, Buffer.byteLength(item)),
    )) {
      ids.push(...part.map((_, position) => itemId(id, position)));
      await this.database.often(insertSql, [
        id,
        projectId,
        event.name,
        `[${part.join(',')}]`,
        currentTraces(),
        caller ? JSON.stringify(caller.actor) : null,
        caller ? publishedIpAddressOf(caller) : null,
      ]);
    }
    return ids;
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

interface OpenRow {
  id: string;
  items: number;
  bytes: number;
}

export class OutboxRowPacker {
  private readonly open = new Map<string, OpenRow>();

  rowIdFor(key: string, itemBytes: number): string {
    let row = this.open.get(key);
    if (!row || row.items === maxEventItems || row.bytes + itemBytes > maxEventBytes) {
      row = { id: newId(), items: 0, bytes: 0 };
      this.open.set(key, row);
    }
    row.items += 1;
    row.bytes += itemBytes;
    return row.id;
  }
}

/** An event that was never published, quarantined ones included, is kept until somebody decides about it. */
export const outboxPartitions = (retentionDays: number): PartitionPlan => ({
  table: 'outbox',
  days: 1,
  retentionDays,
  keptWhile: (start, end) => `EXISTS (
    SELECT FROM outbox WHERE published_at IS NULL AND id >= '${lowestIdOf(start)}' AND id < '${lowestIdOf(end)}')`,
});

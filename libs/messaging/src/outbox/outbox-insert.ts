import { maxEventBytes, maxEventItems } from '@posthorn/contracts';

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

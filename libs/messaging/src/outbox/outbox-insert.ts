export interface OutboxColumns {
  id: string;
  projectId: string;
  fact: string;
  items: string;
  traces?: string;
  actor?: string;
  address?: string;
}

const columnNames: Record<keyof OutboxColumns, string> = {
  id: 'id',
  projectId: 'project_id',
  fact: 'fact',
  items: 'items',
  traces: 'traces',
  actor: 'actor',
  address: 'address',
};

/** One event for each row of `from`, for statements that change rows and publish that at once; all others use `Outbox.publish`. */
export function outboxInsert(columns: OutboxColumns, from = ''): string {
  const names = (Object.keys(columns) as (keyof OutboxColumns)[]).filter((name) => columns[name]);
  return `INSERT INTO outbox (${names.map((name) => columnNames[name]).join(', ')})
    SELECT ${names.map((name) => columns[name]).join(', ')} ${from}`;
}

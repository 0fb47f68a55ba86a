/** What each column of a new row is: an expression of the statement that inserts it. */
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

/**
 * The part of a statement that writes events into the outbox, one for each row of `from` (a FROM clause and what follows it). Whoever changes
 * rows and publishes that in one statement uses it; everybody else calls `Outbox.publish`.
 */
export function outboxInsert(columns: OutboxColumns, from = ''): string {
  const names = (Object.keys(columns) as (keyof OutboxColumns)[]).filter((name) => columns[name]);
  return `INSERT INTO outbox (${names.map((name) => columnNames[name]).join(', ')})
    SELECT ${names.map((name) => columns[name]).join(', ')} ${from}`;
}

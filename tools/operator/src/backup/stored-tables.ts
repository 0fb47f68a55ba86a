import type pg from 'pg';

export interface StoredTable {
  name: string;
  columns: string[];
  /** What a partition holds, as `FOR VALUES …` of its parent says. */
  partition: { of: string; bound: string } | null;
  /** The column that the database numbers, if any. */
  identity: string | null;
}

/** Which migrations a database has seen; the restore makes its tables by the same ones. */
const migrationsTable = 'migrations';

/** What holds rows, in the order of names. */
export async function storedTables(client: pg.Client): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable & { parent: string | null; bound: string | null }>(
    `SELECT c.relname AS name, i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound,
       (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
       (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '') AS identity
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> $1 ORDER BY c.relname`,
    [migrationsTable],
  );
  return rows.map(({ name, columns, parent, bound, identity }) => ({
    name,
    columns,
    identity,
    partition: parent === null ? null : { of: parent, bound: bound! },
  }));
}

export async function migrationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationsTable} ORDER BY id`);
  return rows.map(({ name }) => name);
}

export const quoted = (client: pg.Client, names: readonly string[]): string =>
  names.map((name) => client.escapeIdentifier(name)).join(', ');

/** Those that others refer to first. */
export async function inOrderOfReferences<T extends Pick<StoredTable, 'name'>>(
  client: pg.Client,
  tables: readonly T[],
): Promise<T[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `SELECT f.relname AS "from", t.relname AS "to" FROM pg_constraint c
     JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
     WHERE c.contype = 'f' AND f.oid <> t.oid AND c.connamespace = 'public'::regnamespace`,
  );
  const referred = Map.groupBy(rows, ({ from }) => from);
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<T>();
  const add = (table: T) => {
    for (const { to } of referred.get(table.name) ?? [])
      if (byName.has(to) && !ordered.has(byName.get(to)!)) add(byName.get(to)!);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

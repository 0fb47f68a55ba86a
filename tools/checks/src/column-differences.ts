import type { Database } from '@posthorn/database';

export interface Column {
  table: string;
  name: string;
  /** As Postgres says it, such as `timestamp with time zone` or `text[]`, without length and precision. */
  type: string;
  nullable: boolean;
}

/**
 * What the entities say against what the migrations made. TypeORM's own schema diff would also drop every index and check
 * that no entity names, so only columns are compared.
 */
export async function columnDifferences(database: Database): Promise<string[]> {
  const entities = entityColumns(database);
  const tables = await tableColumns(database);
  const lacking = [...entities.values()].flatMap((column) => lackOf(column, tables.get(keyOf(column))));
  const known = new Set([...entities.values()].map(({ table }) => table));
  const surplus = [...tables.values()]
    .filter((column) => known.has(column.table) && !entities.has(keyOf(column)))
    .map((column) => `${keyOf(column)} is in the migrations, but no entity has it`);
  return [...lacking, ...surplus];
}

function lackOf(column: Column, made: Column | undefined): string[] {
  const name = keyOf(column);
  if (!made) return [`${name} is in the entity, but no migration makes it`];
  const differences: string[] = [];
  if (made.type !== column.type)
    differences.push(`${name} is ${column.type} in the entity and ${made.type} in the migrations`);
  if (made.nullable !== column.nullable)
    differences.push(`${name} is ${nullText(column)} in the entity and ${nullText(made)} in the migrations`);
  return differences;
}

function entityColumns({ source }: Database): Map<string, Column> {
  const columns = source.entityMetadatas.flatMap(({ tableName, columns }) =>
    columns.map((column) => ({
      table: tableName,
      name: column.databaseName,
      type: `${source.driver.normalizeType(column)}${column.isArray ? '[]' : ''}`,
      nullable: column.isNullable,
    })),
  );
  return byKey(columns);
}

async function tableColumns(database: Database): Promise<Map<string, Column>> {
  const columns = await database.query<Column>(`
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS nullable
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname, a.attnum`);
  return byKey(columns);
}

function byKey(columns: Column[]): Map<string, Column> {
  return new Map(columns.map((column) => [keyOf(column), column]));
}

function keyOf({ table, name }: Pick<Column, 'table' | 'name'>): string {
  return `${table}.${name}`;
}

function nullText({ nullable }: Column): string {
  return nullable ? 'nullable' : 'not null';
}

/** A condition on the rows of a list, which have the alias `row`; its parameters are named (`:name`). */
export interface PageFilter {
  sql: string;
  parameters: Record<string, unknown>;
}

export const equals = (column: string, value: unknown): PageFilter | null =>
  value === undefined ? null : { sql: `${column} = :value`, parameters: { value } };

export const narrowedBy = (filters: readonly (PageFilter | null)[], parameters: unknown[]): string =>
  filters
    .filter((filter) => filter !== null)
    .map(({ sql, parameters: named }) =>
      // A type, as in `'{}'::text[]`, is no parameter.
      sql.replace(/(?<!:):(\w+)/g, (_, name: string) => `$${parameters.push(named[name])}`),
    )
    .map((sql) => ` AND (${sql})`)
    .join('');

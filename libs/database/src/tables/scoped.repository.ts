import type { EntityTarget, FindOptionsWhere, ObjectLiteral, Repository } from 'typeorm';
import type { Database } from '../database.js';
import { keysetCondition, pageLimit, toPage, type Page, type PageRequest } from './page.js';

export interface ScopedRow extends ObjectLiteral {
  id: string;
  projectId: string;
}

export interface PageFilter {
  sql: string;
  parameters: Record<string, unknown>;
}

/** Every query of a table that belongs to projects. There is no unscoped finder (STYLE.md). */
export abstract class ScopedRepository<Row extends ScopedRow> {
  constructor(
    protected readonly database: Database,
    private readonly entity: EntityTarget<Row>,
  ) {}

  protected get rows(): Repository<Row> {
    return this.database.manager.getRepository(this.entity);
  }

  find(projectId: string, id: string): Promise<Row | null> {
    return this.rows.findOneBy({ projectId, id } as FindOptionsWhere<Row>);
  }

  /** The row, which nobody else may change until the end of the transaction. */
  lock(projectId: string, id: string): Promise<Row | null> {
    return this.rows.findOne({
      where: { projectId, id } as FindOptionsWhere<Row>,
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * One page, newest first; `where` narrows it, in the columns of the alias `row`, with its parameters by name. Without the query builder: what
   * that takes for a hundred rows is as much as Postgres does.
   */
  protected async page(
    projectId: string,
    request: PageRequest,
    where: PageFilter[],
  ): Promise<Page<Row & { createdAt: Date }>> {
    const { columns, tablePath, target } = this.rows.metadata;
    const Entity = target as new () => Row;
    const parameters: unknown[] = [projectId];
    const numbered = ({ sql, parameters: named }: PageFilter) =>
      `AND (${sql.replace(/(?<!:):(\w+)/g, (_, name: string) => `$${parameters.push(named[name])}`)})`;
    const narrowed = where.map(numbered);
    const { sql: after, parameters: position } = keysetCondition(request.after, parameters.length + 1, 'row');
    const rows = await this.database.query<Row & { createdAt: Date }>(
      `SELECT ${columns.map(({ databaseName, propertyName }) => `row.${databaseName} AS "${propertyName}"`).join(', ')}
       FROM ${tablePath} AS row WHERE row.project_id = $1 ${narrowed.join(' ')} ${after}
       ORDER BY row.created_at DESC, row.id DESC LIMIT ${pageLimit(request) + 1}`,
      [...parameters, ...position],
    );
    return toPage(
      rows.map((row) => Object.assign(new Entity(), row)),
      request,
    );
  }
}

import type { EntityTarget, FindOptionsWhere, ObjectLiteral, Repository } from 'typeorm';
import type { Database } from '../database.js';
import {
  cappedTotal,
  keysetCondition,
  pageLimit,
  toPage,
  totalCap,
  type Page,
  type PageRequest,
  type Total,
  narrowedBy,
  type PageFilter,
} from './page.js';

export interface ScopedRow extends ObjectLiteral {
  id: string;
  projectId: string;
}

export abstract class ScopedRepository<Row extends ScopedRow> {
  constructor(
    protected readonly database: Database,
    private readonly entity: EntityTarget<Row>,
    private readonly notFound: () => Error = () => new Error('there is no such row'),
  ) {}

  protected get rows(): Repository<Row> {
    return this.database.manager.getRepository(this.entity);
  }

  find(projectId: string, id: string): Promise<Row | null> {
    return this.rows.findOneBy({ projectId, id } as FindOptionsWhere<Row>);
  }

  findOrFail(projectId: string, id: string): Promise<Row> {
    return this.orFail(this.find(projectId, id));
  }

  lock(projectId: string, id: string): Promise<Row | null> {
    return this.rows.findOne({
      where: { projectId, id } as FindOptionsWhere<Row>,
      lock: { mode: 'pessimistic_write' },
    });
  }

  lockOrFail(projectId: string, id: string): Promise<Row> {
    return this.orFail(this.lock(projectId, id));
  }

  protected async orFail(search: Promise<Row | null>): Promise<Row> {
    const row = await search;
    if (!row) throw this.notFound();
    return row;
  }

  /** Newest first. Without the query builder, which takes as long for a hundred rows as Postgres does. */
  protected async page(
    projectId: string,
    request: PageRequest,
    filters: readonly (PageFilter | null)[] = [],
  ): Promise<Page<Row & { createdAt: Date }>> {
    const { columns, tablePath, target } = this.rows.metadata;
    const Entity = target as new () => Row;
    const parameters: unknown[] = [projectId];
    const narrowed = narrowedBy(filters, parameters);
    const { sql: after, parameters: position } = keysetCondition(request.after, parameters.length + 1, 'row');
    const rows = await this.database.query<Row & { createdAt: Date }>(
      `SELECT ${columns.map(({ databaseName, propertyName }) => `row.${databaseName} AS "${propertyName}"`).join(', ')}
       FROM ${tablePath} AS row WHERE row.project_id = $1${narrowed} ${after}
       ORDER BY row.created_at DESC, row.id DESC LIMIT ${pageLimit(request) + 1}`,
      [...parameters, ...position],
    );
    return toPage(
      rows.map((row) => Object.assign(new Entity(), row)),
      request,
    );
  }

  /** How many rows the filters leave, counted up to the cap (docs/api-decisions.md §1). */
  protected async matches(projectId: string, filters: readonly (PageFilter | null)[]): Promise<Total> {
    const parameters: unknown[] = [projectId];
    const narrowed = narrowedBy(filters, parameters);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM ${this.rows.metadata.tablePath} AS row WHERE row.project_id = $1${narrowed} LIMIT ${totalCap + 1}
       ) AS capped`,
      parameters,
    );
    return cappedTotal(row!.count);
  }
}

import type { EntityTarget, FindOptionsWhere, ObjectLiteral, Repository } from 'typeorm';
import type { Database } from './database.js';
import { pageLimit, toPage, type Page, type PageRequest } from './page.js';

export interface ScopedRow extends ObjectLiteral {
  id: string;
  projectId: string;
}

/** Every query of a table that belongs to projects. There is no unscoped finder (architecture.md §7). */
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
    return this.rows.findOne({ where: { projectId, id } as FindOptionsWhere<Row>, lock: { mode: 'pessimistic_write' } });
  }

  /** One page, newest first; `where` narrows it, in terms of the alias `row`. */
  protected async page(
    projectId: string,
    request: PageRequest,
    where: { sql: string; parameters: ObjectLiteral }[],
  ): Promise<Page<Row & { createdAt: Date }>> {
    const query = this.rows.createQueryBuilder('row').where('row.projectId = :projectId', { projectId });
    for (const { sql, parameters } of where) query.andWhere(sql, parameters);
    if (request.after) query.andWhere('(row.createdAt, row.id) < (:at, :id)', request.after);
    const rows = await query
      .orderBy('row.createdAt', 'DESC')
      .addOrderBy('row.id', 'DESC')
      .limit(pageLimit(request) + 1)
      .getMany();
    return toPage(rows as unknown as (Row & { createdAt: Date })[], request);
  }
}

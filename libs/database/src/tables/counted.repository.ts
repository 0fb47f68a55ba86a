import type { FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import { ScopedRepository, type ScopedRow } from './scoped.repository.js';

export interface CountedRow extends ScopedRow {
  /** Rises with every change, so that events of one row have an order. */
  seq: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Exact totals, counted in the transaction of the change. Writers of a project wait for each other. */
export abstract class CountedRepository<Row extends CountedRow> extends ScopedRepository<Row> {
  async add(row: Omit<Row, 'seq' | 'createdAt' | 'updatedAt'>): Promise<Row> {
    await this.rows.insert(row as unknown as QueryDeepPartialEntity<Row>);
    await this.count(row['projectId'] as string, 1);
    return this.read(row as unknown as Row);
  }

  /** Not `now()`, the start of the transaction: it may be before the change that this one waited for. */
  async save(row: Row): Promise<Row> {
    const { projectId, id } = row;
    const written = {
      ...row,
      seq: () => 'seq + 1',
      createdAt: undefined,
      updatedAt: () => 'clock_timestamp()',
    };
    await this.rows.update(
      { projectId, id } as FindOptionsWhere<Row>,
      written as unknown as QueryDeepPartialEntity<Row>,
    );
    return this.read(row);
  }

  async remove({ projectId, id }: Row): Promise<Date> {
    await this.rows.delete({ projectId, id } as FindOptionsWhere<Row>);
    return this.count(projectId, -1);
  }

  async total(projectId: string): Promise<number> {
    const [known] = await this.database.query<{ total: number }>(
      `SELECT total FROM project_counts WHERE project_id = $1 AND counted = $2`,
      [projectId, this.table],
    );
    return known?.total ?? 0;
  }

  private get table(): string {
    return this.rows.metadata.tableName;
  }

  private async read({ projectId, id }: Row): Promise<Row> {
    const row = await this.find(projectId, id);
    if (!row) throw new Error(`${this.table}: a row disappeared while it was written`);
    return row;
  }

  private async count(projectId: string, change: number): Promise<Date> {
    const [counted] = await this.database.query<{ at: Date }>(
      `INSERT INTO project_counts (project_id, counted, total) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, counted) DO UPDATE SET total = project_counts.total + excluded.total
       RETURNING clock_timestamp() AS at`,
      [projectId, this.table, change],
    );
    return counted!.at;
  }
}

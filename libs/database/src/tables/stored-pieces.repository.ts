import type { Database } from '../database.js';

export interface PiecesOwner {
  projectId: string;
  id: string;
}

/** The bytes of uploads, in pieces of a table `(project_id, <owner>, place, bytes)`. */
export abstract class StoredPiecesRepository {
  protected abstract readonly table: string;
  /** The column that names whose piece it is. */
  protected abstract readonly owner: string;

  constructor(private readonly database: Database) {}

  private get whose(): string {
    return `project_id = $1 AND ${this.owner} = $2`;
  }

  async put({ projectId, id }: PiecesOwner, index: number, bytes: Buffer): Promise<void> {
    await this.database.query(
      `INSERT INTO ${this.table} (project_id, ${this.owner}, place, bytes) VALUES ($1, $2, $3, $4)`,
      [projectId, id, index, bytes],
    );
  }

  async read({ projectId, id }: PiecesOwner, index: number): Promise<Buffer | null> {
    const [piece] = await this.database.query<{ bytes: Buffer }>(
      `SELECT bytes FROM ${this.table} WHERE ${this.whose} AND place = $3`,
      [projectId, id, index],
    );
    return piece?.bytes ?? null;
  }

  async removeBefore({ projectId, id }: PiecesOwner, index: number): Promise<void> {
    await this.database.query(`DELETE FROM ${this.table} WHERE ${this.whose} AND place < $3`, [
      projectId,
      id,
      index,
    ]);
  }

  /** Returns whether all are gone. */
  async removeSome({ projectId, id }: PiecesOwner, limit: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM ${this.table} WHERE ${this.whose} AND place = ANY(ARRAY(
         SELECT place FROM ${this.table} WHERE ${this.whose} ORDER BY place LIMIT $3)) RETURNING place`,
      [projectId, id, limit],
    );
    return removed.length < limit;
  }
}

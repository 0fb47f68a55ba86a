import type { Database } from '@posthorn/database';

interface ImportKey {
  projectId: string;
  id: string;
}

export class ImportPiecesRepository {
  constructor(private readonly database: Database) {}

  async put({ projectId, id }: ImportKey, index: number, bytes: Buffer): Promise<void> {
    await this.database.query(
      `INSERT INTO import_pieces (project_id, import_id, place, bytes) VALUES ($1, $2, $3, $4)`,
      [projectId, id, index, bytes],
    );
  }

  async read({ projectId, id }: ImportKey, index: number): Promise<Buffer | null> {
    const [piece] = await this.database.query<{ bytes: Buffer }>(
      `SELECT bytes FROM import_pieces WHERE project_id = $1 AND import_id = $2 AND place = $3`,
      [projectId, id, index],
    );
    return piece?.bytes ?? null;
  }

  async removeBefore({ projectId, id }: ImportKey, index: number): Promise<void> {
    await this.database.query(
      `DELETE FROM import_pieces WHERE project_id = $1 AND import_id = $2 AND place < $3`,
      [projectId, id, index],
    );
  }

  async removeSome({ projectId, id }: ImportKey, limit: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM import_pieces WHERE project_id = $1 AND import_id = $2 AND place = ANY(ARRAY(
         SELECT place FROM import_pieces WHERE project_id = $1 AND import_id = $2 ORDER BY place LIMIT $3)) RETURNING place`,
      [projectId, id, limit],
    );
    return removed.length < limit;
  }
}

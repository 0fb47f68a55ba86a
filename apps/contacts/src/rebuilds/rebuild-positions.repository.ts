import type { RebuildPosition } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export interface ContactPosition extends RebuildPosition {
  email: string;
}

const noId = '00000000-0000-0000-0000-000000000000';
export const firstPosition: RebuildPosition = { projectId: noId, id: noId };

export class RebuildPositions {
  constructor(private readonly database: Database) {}

  async project(tables: readonly string[], after: RebuildPosition): Promise<string | null> {
    const next = tables.map(
      (table) => `(SELECT project_id FROM ${table} WHERE project_id > $1 ORDER BY project_id LIMIT 1)`,
    );
    const [row] = await this.database.query<{ id: string }>(
      `SELECT project_id AS id FROM (${next.join(' UNION ALL ')}) AS next ORDER BY project_id LIMIT 1`,
      [after.projectId],
    );
    return row?.id ?? null;
  }

  rows(
    table: 'lists' | 'segments',
    { projectId, id }: RebuildPosition,
    limit: number,
  ): Promise<RebuildPosition[]> {
    return this.database.query(
      `SELECT project_id AS "projectId", id FROM ${table} WHERE (project_id, id) > ($1, $2) ORDER BY project_id, id LIMIT $3`,
      [projectId, id, limit],
    );
  }

  async contacts({ projectId, id }: RebuildPosition, limit: number): Promise<ContactPosition[]> {
    const found = await this.database.query<ContactPosition>(
      `SELECT project_id AS "projectId", id, email FROM contacts WHERE (project_id, id) > ($1, $2) ORDER BY project_id, id LIMIT $3`,
      [projectId, id, limit],
    );
    return found.filter((each) => each.projectId === found[0]!.projectId);
  }
}

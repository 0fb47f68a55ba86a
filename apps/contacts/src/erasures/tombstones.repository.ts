import type { Database } from '@posthorn/database';

export interface Tombstone {
  hash: string;
  erasedAt: Date;
}

const decoded = `SELECT decode(hash, 'hex') FROM unnest($2::text[]) AS h (hash)`;

export class TombstonesRepository {
  constructor(private readonly database: Database) {}

  async set(projectId: string, hashes: string[]): Promise<void> {
    await this.database.query(
      `INSERT INTO tombstones AS known (project_id, address_hash) SELECT $1, hash FROM (${decoded}) AS d (hash) ORDER BY hash
       ON CONFLICT (project_id, address_hash) DO UPDATE SET erased_at = greatest(known.erased_at, excluded.erased_at)`,
      [projectId, hashes],
    );
  }

  async anySince(projectId: string, since: Date): Promise<boolean> {
    const [row] = await this.database.often(
      `SELECT 1 FROM tombstones WHERE project_id = $1 AND erased_at >= $2 LIMIT 1`,
      [projectId, since],
    );
    return row !== undefined;
  }

  of(projectId: string, hashes: string[]): Promise<Tombstone[]> {
    return this.database.often(
      `SELECT encode(address_hash, 'hex') AS hash, erased_at AS "erasedAt" FROM tombstones WHERE project_id = $1 AND address_hash = ANY (ARRAY(${decoded}))`,
      [projectId, hashes],
    );
  }
}

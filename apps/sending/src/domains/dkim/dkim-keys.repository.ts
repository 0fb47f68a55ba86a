import { ScopedRepository, type Database } from '@posthorn/database';
import { In } from 'typeorm';
import { DkimKeyRow } from './dkim-key.entity.js';
import type { KeyChange } from './dkim-rotation.js';

export class DkimKeysRepository extends ScopedRepository<DkimKeyRow> {
  constructor(database: Database) {
    super(database, DkimKeyRow);
  }

  of(projectId: string, domainIds: string[]): Promise<DkimKeyRow[]> {
    return this.rows.find({ where: { projectId, domainId: In(domainIds) }, order: { id: 'ASC' } });
  }

  async insert(projectId: string, keys: readonly DkimKeyRow[]): Promise<void> {
    await this.rows.insert(keys.map((key) => ({ ...key, projectId, createdAt: undefined })));
  }

  /** Retires old keys first: a unique index allows one active key of each algorithm. */
  async change(projectId: string, changes: readonly KeyChange[]): Promise<void> {
    for (const leaving of [true, false]) {
      const now = changes.filter(({ state }) => (state === 'RETIRING') === leaving);
      await this.database.query(
        `UPDATE dkim_keys SET state = c.state, record_status = c.record_status, retiring_since = c.retiring_since
         FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) AS c (id, state, record_status, retiring_since)
         WHERE dkim_keys.project_id = $1 AND dkim_keys.id = c.id`,
        [
          projectId,
          now.map(({ id }) => id),
          now.map(({ state }) => state),
          now.map(({ recordStatus }) => recordStatus),
          now.map(({ retiringSince }) => retiringSince),
        ],
      );
    }
  }

  async remove(projectId: string, ids: string[]): Promise<void> {
    await this.database.query(`DELETE FROM dkim_keys WHERE project_id = $1 AND id = ANY ($2::uuid[])`, [
      projectId,
      ids,
    ]);
  }
}

import { Injectable } from '@nestjs/common';
import { Database, ScopedRepository, type Page, type PageRequest } from '@posthorn/database';
import { IsNull } from 'typeorm';
import { ApiKeyRow } from './api-key.entity.js';

@Injectable()
export class ApiKeysRepository extends ScopedRepository<ApiKeyRow> {
  constructor(database: Database) {
    super(database, ApiKeyRow);
  }

  async insert(row: ApiKeyRow): Promise<void> {
    await this.rows.insert(row);
  }

  async save(row: ApiKeyRow): Promise<void> {
    await this.rows.save(row);
  }

  list(projectId: string): Promise<ApiKeyRow[]> {
    return this.rows.find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  pageOf(projectId: string, request: PageRequest): Promise<Page<ApiKeyRow>> {
    return this.page(projectId, request, []);
  }

  findForShare(projectId: string, id: string): Promise<ApiKeyRow | null> {
    return this.rows.findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_read' } });
  }

  countActive(projectId: string): Promise<number> {
    return this.rows.countBy({ projectId, revokedAt: IsNull() });
  }

  /** At most once per minute and key, across all gateways (docs/api-decisions.md §2). */
  async markUsed(keys: readonly { projectId: string; keyId: string }[]): Promise<void> {
    await this.database.query(
      `UPDATE api_keys SET last_used_at = now() FROM unnest($1::uuid[], $2::uuid[]) AS used (project_id, id)
       WHERE api_keys.project_id = used.project_id AND api_keys.id = used.id
         AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [keys.map(({ projectId }) => projectId), keys.map(({ keyId }) => keyId)],
    );
  }
}

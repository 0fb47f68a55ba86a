import { ScopedRepository, newId, type Database } from '@posthorn/database';
import { DomainRow } from './domain.entity.js';

export class DomainsRepository extends ScopedRepository<DomainRow> {
  constructor(database: Database) {
    super(database, DomainRow);
  }

  list(projectId: string): Promise<DomainRow[]> {
    return this.rows.find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  verifiedOf(projectId: string): Promise<DomainRow[]> {
    return this.rows.findBy({ projectId, verified: true });
  }

  /** Who else holds a host name is no question of one project: the answer is only whether it is free. */
  async isTakenByAnother(projectId: string, domain: string): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM domains WHERE domain = $2 AND project_id <> $1`, [projectId, domain]);
    return rows.length > 0;
  }

  /** Marks the domain verified; a project's first one becomes its default. */
  async verify(projectId: string, domain: string): Promise<DomainRow> {
    await this.database.query(
      `INSERT INTO domains (project_id, id, domain, verified, is_default)
       VALUES ($1, $2, $3, true, NOT EXISTS (SELECT 1 FROM domains WHERE project_id = $1 AND is_default))
       ON CONFLICT (domain) DO UPDATE SET verified = true WHERE domains.project_id = $1`,
      [projectId, newId(), domain],
    );
    return this.rows.findOneByOrFail({ projectId, domain });
  }
}

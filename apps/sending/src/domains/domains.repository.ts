import { domainNotFound, maxDomains, type Region, type EmailCategory } from '@posthorn/contracts';
import { newId, ScopedRepository, type Database, type Page, type PageRequest } from '@posthorn/database';
import { type WorkQueue, work } from '@posthorn/work';
import { DomainRow } from './domain.entity.js';
import { withParents } from './checks/host-names.js';

const hour = 3_600_000;
const betweenChecksMs = 6 * hour;

export const domainCheckWork = work('sending.domain-checks', {
  concurrency: 10,
  // Name servers of one project may be slow; they hold one of the ten places.
  spread: true,
  retry: { attempts: Infinity, firstMs: 60_000, maxMs: 600_000 },
});

export type NewDomain = Pick<
  DomainRow,
  'projectId' | 'id' | 'domain' | 'verified' | 'vouched' | 'region' | 'mailFromDomain'
> & {
  category: EmailCategory | null;
  isCategoryDefault: boolean;
};

export class DomainsRepository extends ScopedRepository<DomainRow> {
  constructor(
    database: Database,
    private readonly queue: WorkQueue,
  ) {
    super(database, DomainRow, domainNotFound);
  }

  list(projectId: string, request: PageRequest): Promise<Page<DomainRow>> {
    return this.page(projectId, request, []);
  }

  findByName(projectId: string, domain: string): Promise<DomainRow | null> {
    return this.rows.findOneBy({ projectId, domain });
  }

  verifiedOf(projectId: string): Promise<DomainRow[]> {
    return this.rows.findBy({ projectId, verified: true });
  }

  all(projectId: string): Promise<DomainRow[]> {
    return this.rows.findBy({ projectId });
  }

  /** Serializes additions, because the limit and the region concern all domains of a project. */
  async lockProject(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 9))`, [projectId]);
  }

  /** Serializes verifications of one host name across projects. */
  async lockName(domain: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 10))`, [domain]);
  }

  async isFull(projectId: string): Promise<boolean> {
    return (await this.rows.countBy({ projectId })) >= maxDomains;
  }

  async regionOf(projectId: string): Promise<Region | null> {
    const [row] = await this.database.query<{ region: Region }>(
      `SELECT region FROM domains WHERE project_id = $1 ORDER BY id LIMIT 1`,
      [projectId],
    );
    return row?.region ?? null;
  }

  isTakenByAnother(projectId: string, domain: string): Promise<boolean> {
    return this.isHeldByAnother(projectId, [domain]);
  }

  isBeneathAnothers(projectId: string, domain: string): Promise<boolean> {
    return this.isHeldByAnother(projectId, withParents(domain));
  }

  async insert(domain: NewDomain): Promise<DomainRow> {
    const {
      projectId,
      id,
      domain: name,
      verified,
      vouched,
      region,
      mailFromDomain,
      category,
      isCategoryDefault,
    } = domain;
    await this.database.query(
      `INSERT INTO domains (project_id, id, domain, verified, vouched, region, mail_from_domain, stream, stream_default, is_default)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $4 AND ${noDefault('$1')})`,
      [projectId, id, name, verified, vouched, region, mailFromDomain, category, isCategoryDefault],
    );
    return this.rows.findOneByOrFail({ projectId, id });
  }

  async verify(projectId: string, domain: string): Promise<DomainRow> {
    await this.database.query(
      `INSERT INTO domains (project_id, id, domain, verified, vouched, is_default) VALUES ($1, $2, $3, true, true, ${noDefault('$1')})
       ON CONFLICT (project_id, domain) DO UPDATE SET verified = true, vouched = true, lost_since = NULL, updated_at = clock_timestamp()`,
      [projectId, newId(), domain],
    );
    const row = await this.rows.findOneByOrFail({ projectId, domain });
    await this.queue.cancel(domainCheckWork, projectId, row.id);
    return row;
  }

  async checkLater({ projectId, id }: DomainRow): Promise<void> {
    await this.queue.enqueue(domainCheckWork, [{ projectId, key: id, delayMs: betweenChecksMs }], 'REPLACE');
  }

  async save(row: DomainRow): Promise<DomainRow> {
    const { projectId, id } = row;
    await this.rows.update(
      { projectId, id },
      { ...row, createdAt: undefined, updatedAt: () => 'clock_timestamp()' },
    );
    return this.rows.findOneByOrFail({ projectId, id });
  }

  async makeDefaultIfFirst(projectId: string, id: string): Promise<void> {
    await this.database.query(
      `UPDATE domains SET is_default = true WHERE project_id = $1 AND id = $2 AND ${noDefault('$1')}`,
      [projectId, id],
    );
  }

  async demote(projectId: string, category: EmailCategory, exceptId: string): Promise<void> {
    await this.database.query(
      `UPDATE domains SET stream_default = false, updated_at = clock_timestamp() WHERE project_id = $1 AND stream = $2 AND stream_default AND id <> $3`,
      [projectId, category, exceptId],
    );
  }

  async remove({ projectId, id }: DomainRow): Promise<Date> {
    await this.queue.cancel(domainCheckWork, projectId, id);
    const [removed] = await this.database.query<{ at: Date }>(
      `DELETE FROM domains WHERE project_id = $1 AND id = $2 RETURNING clock_timestamp() AS at`,
      [projectId, id],
    );
    return removed!.at;
  }

  private async isHeldByAnother(projectId: string, names: string[]): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM domains WHERE domain = ANY ($2) AND verified AND project_id <> $1 LIMIT 1`,
      [projectId, names],
    );
    return rows.length > 0;
  }
}

const noDefault = (project: string): string =>
  `NOT EXISTS (SELECT 1 FROM domains WHERE project_id = ${project} AND is_default)`;

import {
  maxRequestedSlugs,
  segmentNotFound,
  type ListSegments,
  type MembershipFilter,
} from '@posthorn/contracts';
import { ScopedRepository, type Database, type Page } from '@posthorn/database';
import type { WorkQueue } from '@posthorn/work';
import { segmentRefreshWork } from './segment-kinds.js';
import { SegmentRow } from './segment.entity.js';

/** Held by whoever writes the segments of a project, or their members by condition, so that upkeep can insert members without checking for them. */
export const projectLock = `hashtextextended(project_id::text, 53)`;

export type NewSegment = Omit<
  SegmentRow,
  'seq' | 'createdAt' | 'updatedAt' | 'change' | 'toSegment' | 'toEvent'
>;

export class SegmentsRepository extends ScopedRepository<SegmentRow> {
  constructor(
    database: Database,
    private readonly queue: WorkQueue,
  ) {
    super(database, SegmentRow, segmentNotFound);
  }

  /** Waits for two seconds only, because each waiting call occupies a connection. */
  async lockProject(projectId: string): Promise<void> {
    await this.database.query(`SET LOCAL lock_timeout = '2s'`);
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${projectLock}) FROM (SELECT $1::uuid AS project_id) AS project`,
      [projectId],
    );
    await this.database.query(`SET LOCAL lock_timeout TO DEFAULT`);
  }

  /** For the rest of the transaction; past it the caller has given up. */
  async limitStatements(limitMs: number | null): Promise<void> {
    if (limitMs === null) return;
    await this.database.query(`SELECT set_config('statement_timeout', $1, true)`, [
      `${Math.max(1, Math.ceil(limitMs))}ms`,
    ]);
  }

  async add(row: NewSegment): Promise<SegmentRow> {
    await this.rows.insert(row as object);
    await this.schedule(row);
    return (await this.find(row.projectId, row.id))!;
  }

  async save(row: SegmentRow): Promise<SegmentRow> {
    const { projectId, id } = row;
    const written = {
      ...row,
      seq: () => 'seq + 1',
      createdAt: undefined,
      updatedAt: () => 'clock_timestamp()',
    };
    await this.rows.update({ projectId, id }, written as object);
    await this.schedule(row);
    return (await this.find(projectId, id))!;
  }

  /** The next refresh is scheduled by `SegmentRefreshesWork` itself. */
  private async schedule({ projectId, id, upkeep }: NewSegment): Promise<void> {
    if (upkeep === 'SCHEDULED')
      await this.queue.enqueue(segmentRefreshWork, [{ projectId, key: id, delayMs: 1_000 }]);
  }

  /** Slugs and edges are deleted by their foreign keys. */
  async remove({ projectId, id }: SegmentRow): Promise<void> {
    for (const table of ['segment_members', 'segment_due', 'segment_counts', 'segment_count_deltas']) {
      await this.database.query(`DELETE FROM ${table} WHERE project_id = $1 AND segment_id = $2`, [
        projectId,
        id,
      ]);
    }
    await this.rows.delete({ projectId, id });
  }

  list(projectId: string, query: ListSegments): Promise<Page<SegmentRow>> {
    return this.page(projectId, query);
  }

  total(projectId: string): Promise<number> {
    return this.rows.countBy({ projectId });
  }

  async liveConditionBytes(projectId: string, id: string): Promise<{ own: number; others: number }> {
    const [row] = await this.database.query<{ own: number; others: number }>(
      `SELECT coalesce(sum(bytes) FILTER (WHERE id = $2), 0)::int AS own, coalesce(sum(bytes) FILTER (WHERE id IS DISTINCT FROM $2), 0)::int AS others
       FROM (SELECT id, octet_length(condition::text) AS bytes FROM segments WHERE project_id = $1 AND upkeep = 'LIVE') AS live`,
      [projectId, id],
    );
    return row!;
  }

  async dynamic(projectId: string): Promise<SegmentRow[]> {
    return this.rows.find({ where: { projectId, type: 'DYNAMIC' }, order: { id: 'ASC' } });
  }

  live(projectIds: readonly string[]): Promise<SegmentRow[]> {
    return this.rows
      .createQueryBuilder('row')
      .where('row.projectId = ANY (:projectIds::uuid[])', { projectIds })
      .andWhere(`row.upkeep = 'LIVE'`)
      .orderBy('row.id')
      .getMany();
  }

  /** Neither `seq` nor `updated_at` changes, because nobody edited the segment. */
  async refreshed(row: SegmentRow): Promise<void> {
    const { projectId, id, upkeep, costMs } = row;
    await this.schedule(row);
    await this.database.query(
      `UPDATE segments SET upkeep = $3, cost_ms = $4, refreshed_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, upkeep, costMs],
    );
  }

  containing(projectId: string, pattern: string): Promise<Pick<SegmentRow, 'id' | 'condition'>[]> {
    return this.database.query(
      `SELECT id, condition FROM segments WHERE project_id = $1 AND condition::text ~* $2 ORDER BY id`,
      [projectId, pattern],
    );
  }

  /** Their members are found again, because the removed text may have matched other contacts, too. */
  async rewriteConditions(
    projectId: string,
    rows: readonly Pick<SegmentRow, 'id' | 'condition'>[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE segments SET condition = given.condition::jsonb
       FROM unnest($2::uuid[], $3::text[]) AS given (id, condition) WHERE project_id = $1 AND segments.id = given.id`,
      [projectId, rows.map(({ id }) => id), rows.map(({ condition }) => JSON.stringify(condition))],
    );
    await this.queue.enqueue(
      segmentRefreshWork,
      rows.map(({ id }) => ({ projectId, key: id, payload: { requested: true } })),
      'REPLACE',
    );
  }

  async known(
    projectId: string,
    named: readonly Pick<MembershipFilter, 'field' | 'id'>[],
  ): Promise<Set<string>> {
    if (named.length === 0) return new Set();
    const idsOf = (field: MembershipFilter['field']) =>
      named.filter((each) => each.field === field).map(({ id }) => id);
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM segments WHERE project_id = $1 AND id = ANY ($2::uuid[])
       UNION ALL SELECT id FROM lists WHERE project_id = $1 AND id = ANY ($3::uuid[])`,
      [projectId, idsOf('segment'), idsOf('list')],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async isNameFree({
    projectId,
    id,
    name,
    slug,
  }: Pick<SegmentRow, 'projectId' | 'id' | 'name' | 'slug'>): Promise<boolean> {
    const [taken] = await this.database.query(
      `SELECT 1 FROM segment_slugs WHERE project_id = $1 AND slug = $3 AND segment_id <> $2
       UNION ALL SELECT 1 FROM segments WHERE project_id = $1 AND name = $4 AND id <> $2`,
      [projectId, id, slug, name],
    );
    return !taken;
  }

  async slugsOf(projectId: string, id: string): Promise<string[]> {
    const rows = await this.database.query<{ slug: string }>(
      `SELECT slug FROM segment_slugs WHERE project_id = $1 AND segment_id = $2 ORDER BY since DESC LIMIT ${maxRequestedSlugs}`,
      [projectId, id],
    );
    return rows.map(({ slug }) => slug);
  }

  async addSlug({ projectId, id, slug }: Pick<SegmentRow, 'projectId' | 'id' | 'slug'>): Promise<void> {
    await this.database.query(
      `INSERT INTO segment_slugs (project_id, slug, segment_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [projectId, slug, id],
    );
  }
}

import { columnsOf, type Database } from '@posthorn/database';
import type { ContactMark } from '../segment-dirty.repository.js';
import { pairsOf } from '../pairs.js';
import { projectLock } from '../segments.repository.js';
import type { Difference, SegmentPair } from './evaluate.js';

const pairColumns = columnsOf<SegmentPair>([
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'segment_id', type: 'uuid', value: ({ segmentId }) => segmentId },
]);

export class UpkeepRepository {
  constructor(private readonly database: Database) {}

  nextDue(projectIds: readonly string[]): Promise<{ projectId: string; dueAt: Date }[]> {
    return this.database.query(
      `SELECT p.project_id AS "projectId", d.due_at AS "dueAt" FROM unnest($1::uuid[]) AS p (project_id) CROSS JOIN LATERAL (
         SELECT due_at FROM segment_due WHERE project_id = p.project_id ORDER BY due_at LIMIT 1
       ) AS d`,
      [projectIds],
    );
  }

  dirty(projectIds: readonly string[], ofEach: number): Promise<(ContactMark & { id: number })[]> {
    return this.database.query(
      `SELECT d.id, p.project_id AS "projectId", d.contact_id AS "contactId" FROM unnest($1::uuid[]) AS p (project_id) CROSS JOIN LATERAL (
         SELECT id, contact_id FROM segment_dirty WHERE project_id = p.project_id ORDER BY id LIMIT $2
       ) AS d`,
      [projectIds, ofEach],
    );
  }

  due(projectIds: readonly string[], now: Date, ofEach: number): Promise<ContactMark[]> {
    return this.database.query(
      `SELECT p.project_id AS "projectId", d.contact_id AS "contactId" FROM unnest($1::uuid[]) AS p (project_id) CROSS JOIN LATERAL (
         SELECT contact_id FROM segment_due WHERE project_id = p.project_id AND due_at <= $2 ORDER BY due_at LIMIT $3
       ) AS d`,
      [projectIds, now, ofEach],
    );
  }

  async lockProjects(projectIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ projectId: string }>(
      `SELECT project_id AS "projectId" FROM unnest($1::uuid[]) AS p (project_id) WHERE pg_try_advisory_xact_lock(${projectLock})`,
      [projectIds],
    );
    return rows.map(({ projectId }) => projectId);
  }

  /** Locks contacts against deletion, in the same order as deletions. Does not wait for contacts that others have locked: they are busy. */
  async lockContacts(marks: readonly ContactMark[]): Promise<{ existing: Set<string>; busy: Set<string> }> {
    if (marks.length === 0) return { existing: new Set(), busy: new Set() };
    const existing = await this.contactsOf(
      marks,
      `ORDER BY c.project_id, c.email FOR KEY SHARE OF c SKIP LOCKED`,
    );
    const rest = marks.filter(({ contactId }) => !existing.has(contactId));
    return { existing, busy: rest.length > 0 ? await this.contactsOf(rest) : new Set() };
  }

  private async contactsOf(marks: readonly ContactMark[], locking = ''): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT c.id FROM contacts c JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS p (project_id, id)) AS p USING (project_id, id) ${locking}`,
      [marks.map(({ projectId }) => projectId), marks.map(({ contactId }) => contactId)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Their projects count the round, so that nobody takes marks that are gone for contacts that did not change. */
  async removeMarks(marks: readonly { projectId: string; id: number }[]): Promise<void> {
    if (marks.length === 0) return;
    await this.database.query(
      `WITH counted AS (UPDATE segment_watches SET rounds = rounds + 1 WHERE project_id = ANY ($1::uuid[]))
       DELETE FROM segment_dirty d USING unnest($1::uuid[], $2::bigint[]) AS a (project_id, id) WHERE d.project_id = a.project_id AND d.id = a.id`,
      [marks.map(({ projectId }) => projectId), marks.map(({ id }) => id)],
    );
  }

  /** Writes and counts the memberships that differ. Returns those that were really removed: a deletion may have been faster. */
  async write({ entered, left, due, notDue }: Difference): Promise<{ left: SegmentPair[] }> {
    await this.enter(entered);
    const removed = await this.leave(left);
    await this.setDue(due, notDue);
    return { left: removed };
  }

  /** Without ON CONFLICT, which costs as much as the rows: projects and contacts are locked, so that nobody else can have written them. */
  private async enter(entered: readonly SegmentPair[]): Promise<void> {
    if (entered.length === 0) return;
    const { contacts, segments, contactIndexes, segmentIndexes } = pairsOf(entered);
    const projects = new Map(entered.map(({ projectId, segmentId }) => [segmentId, projectId]));
    await this.database.query(
      `WITH pairs AS MATERIALIZED (SELECT * FROM unnest($4::int[], $5::int[]) AS p (contact, segment)),
       counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT ($1::uuid[])[segment], ($3::uuid[])[segment], count(*) FROM pairs GROUP BY segment
       )
       INSERT INTO segment_members (project_id, contact_id, segment_id)
       SELECT ($1::uuid[])[segment], ($2::uuid[])[contact], ($3::uuid[])[segment] FROM pairs`,
      [segments.map((id) => projects.get(id)), contacts, segments, contactIndexes, segmentIndexes],
    );
  }

  private async leave(left: readonly SegmentPair[]): Promise<SegmentPair[]> {
    if (left.length === 0) return [];
    return this.database.query<SegmentPair>(
      `WITH removed AS (
         DELETE FROM segment_members m USING ${pairColumns.unnest('a', 1)}
         WHERE m.project_id = a.project_id AND m.contact_id = a.contact_id AND m.segment_id = a.segment_id
         RETURNING m.project_id, m.contact_id, m.segment_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT project_id, segment_id, -count(*) FROM removed GROUP BY project_id, segment_id
       )
       SELECT project_id AS "projectId", contact_id AS "contactId", segment_id AS "segmentId" FROM removed`,
      pairColumns.values(left),
    );
  }

  private async setDue(due: Difference['due'], notDue: readonly SegmentPair[]): Promise<void> {
    if (notDue.length > 0) {
      await this.database.query(
        `DELETE FROM segment_due d USING ${pairColumns.unnest('a', 1)}
         WHERE d.project_id = a.project_id AND d.contact_id = a.contact_id AND d.segment_id = a.segment_id`,
        pairColumns.values(notDue),
      );
    }
    if (due.length > 0) {
      await this.database.query(
        `INSERT INTO segment_due (project_id, contact_id, segment_id, due_at) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
         ON CONFLICT (project_id, contact_id, segment_id) DO UPDATE SET due_at = excluded.due_at`,
        [...pairColumns.values(due), due.map(({ dueAt }) => dueAt)],
      );
    }
  }
}

import type { Database } from '@posthorn/database';
import type { ContactMark } from '../segment-dirty.repository.js';
import { pairsOf } from '../pairs.js';
import { projectLock } from '../segments.repository.js';
import type { Difference, SegmentPair } from './evaluate.js';

/** What is to be looked at, and what came of it. */
export class UpkeepRepository {
  constructor(private readonly database: Database) {}

  /** When time changes something next in each of these projects that it changes something in. */
  nextDue(projectIds: readonly string[]): Promise<{ projectId: string; dueAt: Date }[]> {
    return this.database.query(
      `SELECT p.project_id AS "projectId", d.due_at AS "dueAt" FROM unnest($1::uuid[]) AS p (project_id) CROSS JOIN LATERAL (
         SELECT due_at FROM segment_due WHERE project_id = p.project_id ORDER BY due_at LIMIT 1
       ) AS d`,
      [projectIds],
    );
  }

  /** The oldest marks of each of these projects, which are held. */
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

  /** Those of the projects that nobody else writes just now; they are held to the end of the transaction. */
  async hold(projectIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ projectId: string }>(
      `SELECT project_id AS "projectId" FROM unnest($1::uuid[]) AS p (project_id) WHERE pg_try_advisory_xact_lock(${projectLock})`,
      [projectIds],
    );
    return rows.map(({ projectId }) => projectId);
  }

  /**
   * Those of the contacts that are there: whoever deletes one waits until what is written of it can be seen. In the order in which they are deleted.
   * For those whom somebody else holds just now nobody waits: they are busy.
   */
  async holdContacts(positions: readonly ContactMark[]): Promise<{ there: Set<string>; busy: Set<string> }> {
    if (positions.length === 0) return { there: new Set(), busy: new Set() };
    const there = await this.contactsOf(
      positions,
      `ORDER BY c.project_id, c.email FOR KEY SHARE OF c SKIP LOCKED`,
    );
    const rest = positions.filter(({ contactId }) => !there.has(contactId));
    return { there, busy: rest.length > 0 ? await this.contactsOf(rest) : new Set() };
  }

  private async contactsOf(positions: readonly ContactMark[], how = ''): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT c.id FROM contacts c JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS p (project_id, id)) AS p USING (project_id, id) ${how}`,
      [positions.map(({ projectId }) => projectId), positions.map(({ contactId }) => contactId)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async clean(marks: readonly { projectId: string; id: number }[]): Promise<void> {
    await this.database.query(
      `DELETE FROM segment_dirty d USING unnest($1::uuid[], $2::bigint[]) AS a (project_id, id) WHERE d.project_id = a.project_id AND d.id = a.id`,
      [marks.map(({ projectId }) => projectId), marks.map(({ id }) => id)],
    );
  }

  /** Writes the memberships that differ, and counts them; answers those that really left: whoever deletes a contact may be faster. */
  async write({ entered, left, due, notDue: undue }: Difference): Promise<{ left: SegmentPair[] }> {
    await this.enter(entered);
    const removed = await this.leave(left);
    await this.dates(due, undue);
    return { left: removed };
  }

  /** The projects are held, and the contacts: nobody else can have written these rows, and a look for them would cost as much as the rows. */
  private async enter(positions: readonly SegmentPair[]): Promise<void> {
    if (positions.length === 0) return;
    const {
      contacts,
      segments,
      contactIndexes: contactPositions,
      segmentIndexes: segmentPositions,
    } = pairsOf(positions);
    const projects = new Map(positions.map(({ projectId, segmentId }) => [segmentId, projectId]));
    await this.database.query(
      `WITH pairs AS MATERIALIZED (SELECT * FROM unnest($4::int[], $5::int[]) AS p (contact, segment)),
       counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT ($1::uuid[])[segment], ($3::uuid[])[segment], count(*) FROM pairs GROUP BY segment
       )
       INSERT INTO segment_members (project_id, contact_id, segment_id)
       SELECT ($1::uuid[])[segment], ($2::uuid[])[contact], ($3::uuid[])[segment] FROM pairs`,
      [segments.map((id) => projects.get(id)), contacts, segments, contactPositions, segmentPositions],
    );
  }

  private async leave(positions: readonly SegmentPair[]): Promise<SegmentPair[]> {
    if (positions.length === 0) return [];
    return this.database.query<SegmentPair>(
      `WITH gone AS (
         DELETE FROM segment_members m USING unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS a (project_id, contact_id, segment_id)
         WHERE m.project_id = a.project_id AND m.contact_id = a.contact_id AND m.segment_id = a.segment_id
         RETURNING m.project_id, m.contact_id, m.segment_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total)
         SELECT project_id, segment_id, -count(*) FROM gone GROUP BY project_id, segment_id
       )
       SELECT project_id AS "projectId", contact_id AS "contactId", segment_id AS "segmentId" FROM gone`,
      columnsOf(positions),
    );
  }

  private async dates(due: Difference['due'], notDue: readonly SegmentPair[]): Promise<void> {
    if (notDue.length > 0) {
      await this.database.query(
        `DELETE FROM segment_due d USING unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS a (project_id, contact_id, segment_id)
         WHERE d.project_id = a.project_id AND d.contact_id = a.contact_id AND d.segment_id = a.segment_id`,
        columnsOf(notDue),
      );
    }
    if (due.length > 0) {
      await this.database.query(
        `INSERT INTO segment_due (project_id, contact_id, segment_id, due_at) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
         ON CONFLICT (project_id, contact_id, segment_id) DO UPDATE SET due_at = excluded.due_at`,
        [...columnsOf(due), due.map(({ dueAt }) => dueAt)],
      );
    }
  }
}

const columnsOf = (positions: readonly SegmentPair[]): string[][] => [
  positions.map(({ projectId }) => projectId),
  positions.map(({ contactId }) => contactId),
  positions.map(({ segmentId }) => segmentId),
];

import type { CustomEvent, PersonMembership, PersonSegment, PersonSummary } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

const maxPayloadBytes = 2 * 1024 * 1024;

/** What is known of one contact in the tables of several rooms, newest first. */
export class PersonDataReadModel {
  constructor(private readonly database: Database) {}

  memberships(projectId: string, contactId: string, limit: number): Promise<PersonMembership[]> {
    return this.database.query(
      `SELECT m.id, m.list_id AS "listId", l.name AS "listName", m.status, m.created_at AS "createdAt", m.updated_at AS "updatedAt"
       FROM memberships m LEFT JOIN lists l ON l.project_id = m.project_id AND l.id = m.list_id
       WHERE m.project_id = $1 AND m.contact_id = $2 ORDER BY m.created_at DESC, m.id DESC LIMIT $3`,
      [projectId, contactId, limit],
    );
  }

  segments(projectId: string, contactId: string, limit: number): Promise<PersonSegment[]> {
    return this.database.query(
      `SELECT m.segment_id AS "segmentId", s.name AS "segmentName", m.since
       FROM segment_members m JOIN segments s ON s.project_id = m.project_id AND s.id = m.segment_id
       WHERE m.project_id = $1 AND m.contact_id = $2 ORDER BY m.since DESC, m.segment_id DESC LIMIT $3`,
      [projectId, contactId, limit],
    );
  }

  summaries(projectId: string, contactId: string, limit: number): Promise<PersonSummary[]> {
    return this.database.query(
      `SELECT * FROM (
         SELECT 'EVENT' AS of, name, count, first_at AS "firstAt", last_at AS "lastAt" FROM event_summaries WHERE project_id = $1 AND contact_id = $2
         UNION ALL
         SELECT 'EMAIL', kind, count, first_at, last_at FROM mail_summaries WHERE project_id = $1 AND contact_id = $2
       ) AS s ORDER BY "lastAt" DESC, of, name LIMIT $3`,
      [projectId, contactId, limit],
    );
  }

  /** No more of them than their payloads allow; a payload is small beside that. */
  async events(projectId: string, contactId: string, most: number): Promise<{ rows: CustomEvent[]; isCut: boolean }> {
    const rows = await this.database.query<CustomEvent & { found: number }>(
      `SELECT id, name, contact_id AS "contactId", email_id AS "emailId", payload, created_at AS "createdAt", found FROM (
         SELECT *, count(*) OVER () AS found, sum(octet_length(payload::text)) OVER (ORDER BY id DESC) AS bytes FROM (
           SELECT * FROM events WHERE project_id = $1 AND contact_id = $2 ORDER BY id DESC LIMIT $3
         ) AS newest
       ) AS e WHERE bytes <= ${maxPayloadBytes} ORDER BY id DESC`,
      [projectId, contactId, most + 1],
    );
    const found = rows[0]?.found ?? 0;
    return { rows: rows.slice(0, most).map(({ found: _, ...event }) => event), isCut: found > Math.min(rows.length, most) };
  }
}

import type {
  CustomEvent,
  PagePosition,
  PersonMembership,
  PersonSegment,
  PersonSummary,
  PersonTopic,
} from '@posthorn/contracts';
import { idsBefore, keysetCondition, type Database } from '@posthorn/database';

const maxPayloadBytes = 2 * 1024 * 1024;

export interface RequestedRows<Position> {
  contactId: string;
  limit: number;
  after?: Position;
}

export class PersonDataReadModel {
  constructor(private readonly database: Database) {}

  memberships(
    projectId: string,
    { contactId, limit, after }: RequestedRows<PagePosition>,
  ): Promise<PersonMembership[]> {
    const following = keysetCondition(after, 4, 'm');
    return this.database.query(
      `SELECT m.id, m.list_id AS "listId", l.name AS "listName", m.status, m.created_at AS "createdAt", m.updated_at AS "updatedAt"
       FROM memberships m LEFT JOIN lists l ON l.project_id = m.project_id AND l.id = m.list_id
       WHERE m.project_id = $1 AND m.contact_id = $2 ${following.sql} ORDER BY m.created_at DESC, m.id DESC LIMIT $3`,
      [projectId, contactId, limit, ...following.parameters],
    );
  }

  topics(projectId: string, contactId: string): Promise<PersonTopic[]> {
    return this.database.query(
      `SELECT t.id AS "topicId", t.key, t.name, c.opted_in AS "optedIn", c.source, c.updated_at AS "updatedAt"
       FROM topic_choices c JOIN topics t ON t.project_id = c.project_id AND t.id = c.topic_id
       WHERE c.project_id = $1 AND c.contact_id = $2 ORDER BY c.updated_at DESC, t.id DESC`,
      [projectId, contactId],
    );
  }

  segments(
    projectId: string,
    { contactId, limit, after }: RequestedRows<PagePosition>,
  ): Promise<PersonSegment[]> {
    const following = keysetCondition(after, 4, 'm');
    return this.database.query(
      `SELECT m.segment_id AS "segmentId", s.name AS "segmentName", m.since
       FROM (SELECT project_id, segment_id, since, segment_id AS id, since AS created_at FROM segment_members
             WHERE project_id = $1 AND contact_id = $2) AS m
       JOIN segments s ON s.project_id = m.project_id AND s.id = m.segment_id
       WHERE true ${following.sql} ORDER BY m.since DESC, m.segment_id DESC LIMIT $3`,
      [projectId, contactId, limit, ...following.parameters],
    );
  }

  /** Ordered by name, which does not change between pages; the few kinds of e-mail events come first. */
  summaries(projectId: string, { contactId, limit, after }: RequestedRows<string>): Promise<PersonSummary[]> {
    return this.database.query(
      `SELECT 'EMAIL' AS of, kind AS name, count, first_at AS "firstAt", last_at AS "lastAt" FROM mail_summaries
       WHERE project_id = $1 AND contact_id = $2 AND $4::text IS NULL
       UNION ALL
       (SELECT 'EVENT', name, count, first_at, last_at FROM event_summaries
        WHERE project_id = $1 AND contact_id = $2 AND ($4::text IS NULL OR name > $4) ORDER BY name LIMIT $3)
       ORDER BY of, name`,
      [projectId, contactId, limit, after ?? null],
    );
  }

  /** Fewer than requested where their payloads would exceed the size of a page. */
  async events(
    projectId: string,
    { contactId, limit, after }: RequestedRows<PagePosition>,
  ): Promise<{ rows: CustomEvent[]; isCut: boolean }> {
    const rows = await this.database.query<CustomEvent & { found: number }>(
      `SELECT id, name, contact_id AS "contactId", email_id AS "emailId", payload, created_at AS "createdAt", found FROM (
         SELECT *, count(*) OVER () AS found, sum(octet_length(payload::text)) OVER (ORDER BY id DESC) AS bytes FROM (
           SELECT * FROM events WHERE project_id = $1 AND contact_id = $2 AND id < $4 ORDER BY id DESC LIMIT $3
         ) AS newest
       ) AS e WHERE bytes <= ${maxPayloadBytes} ORDER BY id DESC`,
      [projectId, contactId, limit + 1, idsBefore(after)],
    );
    const found = rows[0]?.found ?? 0;
    const shown = rows.slice(0, limit);
    return { rows: shown.map(({ found: _, ...event }) => event), isCut: found > shown.length };
  }
}

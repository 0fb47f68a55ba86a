import type { Activity, ConsentSource, PagePosition } from '@posthorn/contracts';
import { idsBefore, instantOf, keysetCondition, type Database } from '@posthorn/database';

export interface ActivityQuery {
  contactId: string;
  limit: number;
  after?: PagePosition;
}

interface RecordedRow {
  id: string;
  eventName: string;
  payload: Record<string, unknown>;
  occurredAt: Date;
  emailId: string | null;
}

interface ConsentedRow {
  id: string;
  at: Date;
  after: boolean;
  source: ConsentSource;
  topicId: string | null;
  topicName: string;
}

export class ActivityReadModel {
  constructor(private readonly database: Database) {}

  async events(projectId: string, { contactId, limit, after }: ActivityQuery): Promise<Activity[]> {
    const rows = await this.database.query<RecordedRow>(
      `SELECT id, name AS "eventName", payload, occurred_at AS "occurredAt", email_id AS "emailId" FROM events
       WHERE project_id = $1 AND contact_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4`,
      [projectId, contactId, idsBefore(after), limit],
    );
    return rows.map(({ id, emailId, ...data }) => ({
      id,
      at: instantOf(id),
      kind: 'event.recorded',
      data: { ...data, ...(emailId ? { emailId } : {}) },
    }));
  }

  async consents(projectId: string, { contactId, limit, after }: ActivityQuery): Promise<Activity[]> {
    const following = keysetCondition(after, 4, 'c');
    const rows = await this.database.query<ConsentedRow>(
      `SELECT c.*, t.name AS "topicName" FROM (
         SELECT id, at, after, source, topic_id AS "topicId" FROM (SELECT *, at AS created_at FROM consents WHERE project_id = $1 AND contact_id = $2) AS c
         WHERE true ${following.sql} ORDER BY at DESC, id DESC LIMIT $3
       ) AS c LEFT JOIN topics t ON t.project_id = $1 AND t.id = c."topicId" ORDER BY c.at DESC, c.id DESC`,
      [projectId, contactId, limit, ...following.parameters],
    );
    return rows.map(consented);
  }
}

function consented({ id, at, after, source, topicId, topicName }: ConsentedRow): Activity {
  if (topicId === null)
    return { id, at, kind: after ? 'contact.subscribed' : 'contact.unsubscribed', data: { source } };
  const kind = after ? 'topic.opted_in' : 'topic.opted_out';
  return { id, at, kind, data: { topicId, topicName, source } };
}

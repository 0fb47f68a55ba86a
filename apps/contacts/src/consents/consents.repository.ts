import type { Consent } from '@posthorn/contracts';
import {
  cappedTotal,
  keysetCondition,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
  type PageRequest,
  type Total,
} from '@posthorn/database';

// `rows` has the contacts (project_id, id, subscribed, was_subscribed, updated_at) as `changed`, and who
// changes them (actor, address, user_agent, source, text) as `origin`.
export const recordsConsents = (rows: string): string =>
  `INSERT INTO consents (project_id, id, contact_id, before, after, at, source, actor, address, user_agent, text)
   SELECT changed.project_id, uuidv7(), changed.id, changed.was_subscribed, changed.subscribed, changed.updated_at, origin.source, origin.actor::jsonb,
     origin.address, origin.user_agent, origin.text
   FROM ${rows}`;

/** Whether the newest change of a contact's subscription is that the contact left on the page of a mail. */
export const leftAllOnPage = (projectId: string, contactId: string): string =>
  `coalesce((SELECT before AND NOT after AND source = 'UNSUBSCRIBE_PAGE' FROM consents
     WHERE project_id = ${projectId} AND contact_id = ${contactId} AND topic_id IS NULL ORDER BY at DESC, id DESC LIMIT 1), false)`;

const columns = `id, contact_id AS "contactId", topic_id AS "topicId", before, after, at, source, actor, address, user_agent AS "userAgent", text`;

/** Every change of a subscription and of a choice of topics: rows are added by the statements that change these, and never changed. */
export class ConsentsRepository {
  constructor(private readonly database: Database) {}

  async page(projectId: string, contactId: string, request: PageRequest): Promise<Page<Consent>> {
    const keyset = keysetCondition(request.after, 4);
    const rows = await this.database.query<Consent & { createdAt: Date }>(
      `SELECT * FROM (SELECT ${columns}, at AS "createdAt", at AS created_at FROM consents WHERE project_id = $1 AND contact_id = $2) AS consents
       WHERE true ${keyset.sql} ORDER BY created_at DESC, id DESC LIMIT $3`,
      [projectId, contactId, pageLimit(request) + 1, ...keyset.parameters],
    );
    const page = toPage(rows, request);
    return {
      ...page,
      items: page.items.map((row) => ({
        ...row,
        actor: row.actor && { ...row.actor, name: row.actor.name ?? null },
      })),
    };
  }

  async count(projectId: string, contactId: string): Promise<Total> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM consents WHERE project_id = $1 AND contact_id = $2 LIMIT ${totalCap + 1}) AS capped`,
      [projectId, contactId],
    );
    return cappedTotal(row!.count);
  }
}

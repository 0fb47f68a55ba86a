import type { ChoiceSource, ContactTopic, TopicChosen } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { WriteOrigin } from '../contacts/writes/contact-write.js';

/** Whether a contact gets the campaigns of a topic: `choice` and `topic` are aliases, the first of an outer join. */
export const isOptedIn = (choice: string, topic: string): string =>
  `coalesce(${choice}.opted_in, ${topic}.default_opt_in)`;

export class TopicChoicesRepository {
  constructor(private readonly database: Database) {}

  of(projectId: string, contactId: string): Promise<ContactTopic[]> {
    return this.database.query(
      `SELECT t.id AS "topicId", t.key, t.name, ${isOptedIn('c', 't')} AS "optedIn", coalesce(c.source, 'DEFAULT') AS source, c.updated_at AS "updatedAt"
       FROM topics t LEFT JOIN topic_choices c ON c.project_id = t.project_id AND c.topic_id = t.id AND c.contact_id = $2
       WHERE t.project_id = $1 AND NOT t.archived ORDER BY t.name, t.id`,
      [projectId, contactId],
    );
  }

  /** Of a locked contact. Returns those that changed; to choose for the first time is a change, too. */
  put(
    projectId: string,
    contactId: string,
    choices: ReadonlyMap<string, boolean>,
    { by, origin }: { by: ChoiceSource; origin: WriteOrigin },
  ): Promise<TopicChosen[]> {
    const { source, actor, address, userAgent, text } = origin;
    return this.database.query(
      `WITH changed AS (
         INSERT INTO topic_choices AS known (project_id, topic_id, contact_id, opted_in, source, updated_at)
         SELECT $1, topic_id, $2, opted_in, $5, clock_timestamp() FROM unnest($3::uuid[], $4::boolean[]) AS given (topic_id, opted_in) ORDER BY topic_id
         ON CONFLICT (project_id, topic_id, contact_id) DO UPDATE SET opted_in = excluded.opted_in, source = excluded.source, updated_at = excluded.updated_at
         WHERE known.opted_in <> excluded.opted_in
         RETURNING contact_id, topic_id, opted_in, updated_at, old.opted_in AS was_opted_in
       ), consent AS (
         INSERT INTO consents (project_id, id, contact_id, topic_id, before, after, at, source, actor, address, user_agent, text)
         SELECT $1, uuidv7(), contact_id, topic_id, was_opted_in, opted_in, updated_at, $6, $7::jsonb, $8, $9, $10 FROM changed
       )
       SELECT contact_id AS "contactId", topic_id AS "topicId", opted_in AS "optedIn", updated_at AS at FROM changed`,
      [
        projectId,
        contactId,
        [...choices.keys()],
        [...choices.values()],
        by,
        source,
        actor && JSON.stringify(actor),
        address,
        userAgent,
        text,
      ],
    );
  }

  async notOptedIn(projectId: string, topicId: string, contactIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT given.id FROM unnest($3::uuid[]) AS given (id) WHERE NOT EXISTS (
         SELECT FROM contacts s JOIN topics t ON t.project_id = s.project_id AND t.id = $2
         LEFT JOIN topic_choices c ON c.project_id = t.project_id AND c.topic_id = t.id AND c.contact_id = s.id
         WHERE s.project_id = $1 AND s.id = given.id AND ${isOptedIn('c', 't')})`,
      [projectId, topicId, contactIds],
    );
    return rows.map(({ id }) => id);
  }
}

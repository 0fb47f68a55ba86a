import { maxListPreferences, maxTopics, type Preferences, type PreferencesOf } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { leftOnPage } from '../../activity/contact-history.repository.js';
import { leftAllOnPage } from '../../consents/consents.repository.js';
import { isOptedIn } from '../../topics/topic-choices.repository.js';

/** What a contact gets, as the contact sees it; a pending membership is not one yet. */
export class PreferencesReadModel {
  constructor(private readonly database: Database) {}

  async mayReturn(projectId: string, contactId: string): Promise<boolean> {
    const [row] = await this.database.query<{ mayReturn: boolean }>(
      `SELECT ${leftAllOnPage('$1::uuid', '$2::uuid')} AS "mayReturn"`,
      [projectId, contactId],
    );
    return row!.mayReturn;
  }

  async of(projectId: string, { email, topicId }: PreferencesOf): Promise<Preferences> {
    const [row] = await this.database.query<Preferences>(
      `SELECT c.subscribed, NOT c.subscribed AND ${leftAllOnPage('c.project_id', 'c.id')} AS "mayReturn", ARRAY(
         SELECT jsonb_build_object('id', l.id, 'name', l.name, 'status', m.status,
           'mayReturn', m.status = 'UNSUBSCRIBED' AND ${leftOnPage('m.project_id', 'm.contact_id', 'm.list_id')})
         FROM memberships m JOIN lists l ON l.project_id = m.project_id AND l.id = m.list_id
         WHERE m.project_id = c.project_id AND m.contact_id = c.id AND m.status <> 'PENDING' ORDER BY l.name, l.id LIMIT ${maxListPreferences}
       ) AS lists, ARRAY(
         SELECT jsonb_build_object('id', t.id, 'name', t.name, 'description', t.description, 'optedIn', ${isOptedIn('choice', 't')})
         FROM topics t LEFT JOIN topic_choices choice ON choice.project_id = t.project_id AND choice.topic_id = t.id AND choice.contact_id = c.id
         WHERE t.project_id = c.project_id AND (NOT t.archived OR t.id = $3) ORDER BY t.name, t.id LIMIT ${maxTopics + 1}
       ) AS topics, nullif(trim(left(c.custom_fields ->> 'language', 35)), '') AS language
       FROM contacts c WHERE c.project_id = $1 AND c.email = $2`,
      [projectId, email, topicId ?? null],
    );
    return row ?? { subscribed: null, mayReturn: false, lists: [], topics: [], language: null };
  }
}

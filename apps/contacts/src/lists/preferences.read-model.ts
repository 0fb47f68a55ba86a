import { maxListPreferences, type Preferences } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** What a contact gets, as the contact sees it; a pending membership is not one yet. */
export class PreferencesReadModel {
  constructor(private readonly database: Database) {}

  async of(projectId: string, email: string): Promise<Preferences> {
    const [row] = await this.database.query<Preferences>(
      `SELECT c.subscribed, ARRAY(
         SELECT jsonb_build_object('id', l.id, 'name', l.name, 'status', m.status)
         FROM memberships m JOIN lists l ON l.project_id = m.project_id AND l.id = m.list_id
         WHERE m.project_id = c.project_id AND m.contact_id = c.id AND m.status <> 'PENDING' ORDER BY l.name, l.id LIMIT ${maxListPreferences}
       ) AS lists
       FROM contacts c WHERE c.project_id = $1 AND c.email = $2`,
      [projectId, email],
    );
    return row ?? { subscribed: null, lists: [] };
  }
}

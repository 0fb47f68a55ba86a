import type { Contact, LookedUpEvent } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export class LookupsRepository {
  constructor(private readonly database: Database) {}

  contacts(projectId: string, ids: readonly string[]): Promise<Contact[]> {
    return this.database.query(
      `SELECT id, project_id AS "projectId", email, subscribed, custom_fields AS "customFields", created_at AS "createdAt", updated_at AS "updatedAt"
       FROM contacts WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
  }

  events(projectId: string, ids: readonly string[]): Promise<LookedUpEvent[]> {
    return this.database.query(
      `SELECT id, payload FROM events WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
  }
}

import {
  contactLookups,
  type Contact,
  type LookedUpContacts,
  type LookedUpEvent,
  type LookedUpEvents,
  type LookUpContacts,
  type LookUpEvents,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';

export class LookupsRepository {
  constructor(private readonly database: Database) {}

  @Handles(contactLookups.byIds)
  async contacts({ caller, body }: Incoming<LookUpContacts>): Promise<LookedUpContacts> {
    const contacts = await this.database.query<Contact>(
      `SELECT id, project_id AS "projectId", email, subscribed, custom_fields AS "customFields", created_at AS "createdAt", updated_at AS "updatedAt"
       FROM contacts WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [caller.projectId, body.ids],
    );
    return { contacts };
  }

  @Handles(contactLookups.events)
  async events({ caller, body }: Incoming<LookUpEvents>): Promise<LookedUpEvents> {
    const events = await this.database.query<LookedUpEvent>(
      `SELECT id, payload FROM events WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [caller.projectId, body.ids],
    );
    return { events };
  }
}

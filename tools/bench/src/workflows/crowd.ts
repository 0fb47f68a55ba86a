import { contactEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { nthReader, type Audience } from '../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Servers } from '../product.js';
import type { EventSource } from './event-source.js';

/** The contacts of one project. */
export interface Crowd {
  audience: Audience;
  contactIds: string[];
}

export function crowdsOf({ databaseUrl }: Servers, audiences: readonly Audience[]): Promise<Crowd[]> {
  return inDatabase(databaseOf(databaseUrl, 'contacts'), async (client) => {
    const crowds: Crowd[] = [];
    for (const audience of audiences) {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM contacts WHERE project_id = $1 ORDER BY id`,
        [audience.api.projectId],
      );
      crowds.push({ audience, contactIds: rows.map(({ id }) => id) });
    }
    return crowds;
  });
}

const eventsSql = `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at, created_at)
  SELECT $1::uuid, id, contact_id, $2::text, '{"amount": 5, "source": "web"}'::jsonb, now(), now() FROM unnest($3::uuid[], $4::uuid[]) AS e (id, contact_id)`;

/** The same custom event of every contact of the crowds. */
export async function occurToAll(
  { databaseUrl }: Servers,
  source: EventSource,
  crowds: readonly Crowd[],
  name: string,
): Promise<void> {
  await inDatabase(databaseOf(databaseUrl, 'contacts'), async (client) => {
    const recorded = crowds.map((crowd) => ({ ...crowd, ids: crowd.contactIds.map(newId) }));
    for (const { audience, contactIds, ids } of recorded)
      await client.query(eventsSql, [audience.api.projectId, name, ids, contactIds]);
    const at = new Date();
    for (const { audience, contactIds, ids } of recorded)
      await source.publish(
        contactEvents.eventRecorded,
        audience.api.projectId,
        contactIds.map((contactId, index) => ({ eventId: ids[index]!, contactId, name, emailId: null, at })),
      );
  });
  // An event of the service itself wakes its relay.
  await crowds[0]!.audience.api.post('/api/v1/events', { name: 'bench-wake', email: nthReader(1) });
}

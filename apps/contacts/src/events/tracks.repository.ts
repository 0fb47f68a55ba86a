import type { Database } from '@posthorn/database';
import type { ContactWrite } from '../contacts/writes/contact-write.js';
import {
  contactParameters,
  contactParametersOf,
  flag,
  writesContacts,
} from '../contacts/writes/contact-writes.repository.js';
import { recordsEvents, type NewEvent } from './events.repository.js';

/** An event with the change of its contact that comes along. */
export interface Track {
  event: Pick<NewEvent, 'id' | 'name' | 'payload' | 'occurredAt'>;
  contact: ContactWrite;
}

interface TrackedRow {
  id: string;
  contactId: string;
  at: Date;
}

/** Contacts that come to be or change, and what they did: one statement, which is a commit of its own. */
export class TracksRepository {
  constructor(private readonly database: Database) {}

  /** Of each address one, in their order. Answers the recorded events by id: those whose contact landed. Of the others nothing is stored. */
  async write(tracks: readonly Track[], timeouts: string | null): Promise<Map<string, TrackedRow>> {
    const contacts = tracks.map(({ contact }) => contact);
    const rows = await this.database.prepared<TrackedRow>({
      name: 'track events',
      sql: trackSql,
      parameters: [
        ...contactParametersOf(contacts, false, timeouts),
        tracks.map(({ event }) => event.id),
        tracks.map(({ event }) => event.name),
        tracks.map(({ event }) => JSON.stringify(event.payload)),
        tracks.map(({ event }) => event.occurredAt),
      ],
    });
    return new Map(rows.map((row) => [row.id, row]));
  }
}

const [ids, names, payloads, instants] = [1, 2, 3, 4].map((index) => `$${contactParameters + index}`);

// Whom a track does not change is as free to be held by others as where nobody is changed: what it would write is merged, and removes nothing.
const unchanged = `known.custom_fields || asked.fields::jsonb = known.custom_fields
  AND (asked.flags & ${flag.keeps} <> 0 OR known.subscribed = (asked.flags & ${flag.subscribed} <> 0))`;

// Whoever landed is marked already.
const trackSql = `WITH ${writesContacts(unchanged)}, tracked AS (
    SELECT told.project_id, e.id, told.id AS contact_id, e.name, e.payload, e.occurred_at
    FROM told JOIN unnest(${ids}::uuid[], ${names}::text[], ${payloads}::text[], ${instants}::timestamptz[])
      WITH ORDINALITY AS e (id, name, payload, occurred_at, place) USING (place)
  ), ${recordsEvents('tracked', '$15')}
  SELECT id, contact_id AS "contactId", created_at AS at FROM recorded`;

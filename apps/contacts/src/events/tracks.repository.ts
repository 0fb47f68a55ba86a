import { columnsOf, type Database } from '@posthorn/database';
import type { ContactWrite } from '../contacts/writes/contact-write.js';
import {
  contactParameters,
  contactParametersOf,
  flag,
  writesContacts,
} from '../contacts/writes/contact-writes.repository.js';
import { recordsEvents, type NewEvent } from './events.repository.js';

export interface Track {
  event: Pick<NewEvent, 'id' | 'name' | 'payload' | 'occurredAt'>;
  contact: ContactWrite;
}

interface TrackedRow {
  id: string;
  contactId: string;
  at: Date;
}

const events = columnsOf<Track>([
  { column: 'position', type: 'int', value: (_, index) => index + 1 },
  { column: 'event_id', type: 'uuid', value: ({ event }) => event.id },
  { column: 'name', type: 'text', value: ({ event }) => event.name },
  { column: 'payload', type: 'text', value: ({ event }) => JSON.stringify(event.payload) },
  { column: 'occurred_at', type: 'timestamptz', value: ({ event }) => event.occurredAt },
]);

export class TracksRepository {
  constructor(private readonly database: Database) {}

  /** Takes one track an address. Returns those whose contact was created or changed, by event; of the others nothing is stored. */
  async write(tracks: readonly Track[], timeout: string | null): Promise<Map<string, TrackedRow>> {
    const contacts = tracks.map(({ contact }) => contact);
    const rows = await this.database.prepared<TrackedRow>({
      name: 'track events',
      sql: trackSql,
      parameters: [...contactParametersOf(contacts, false, timeout), ...events.values(tracks)],
    });
    return new Map(rows.map((row) => [row.id, row]));
  }
}

// A contact that its track does not change needs no lock: a track merges fields and removes none.
const unchanged = `known.custom_fields || requested.fields::jsonb = known.custom_fields
  AND (requested.flags & ${flag.keeps} <> 0 OR known.subscribed = (requested.flags & ${flag.subscribed} <> 0))`;

const trackSql = `WITH ${writesContacts(unchanged)}, tracked AS (
    SELECT changed.project_id, event_id AS id, changed.id AS contact_id, track.name, track.payload, track.occurred_at
    FROM changed JOIN ${events.unnest('track', contactParameters.next)} USING (position)
  ), ${recordsEvents('tracked', contactParameters.traces)}
  SELECT id, contact_id AS "contactId", created_at AS at FROM recorded`;

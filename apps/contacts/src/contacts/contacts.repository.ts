import type { ContactFilter, ContactVariables, ListContacts } from '@posthorn/contracts';
import { escapeLike, ScopedRepository, totalCap, type Database, type Page } from '@posthorn/database';
import { ContactRow } from './contact.entity.js';
import type { CustomFields } from './custom-fields.js';

export interface NewContact {
  projectId: string;
  id: string;
  email: string;
  subscribed: boolean;
  customFields: CustomFields;
}

export interface ContactKey {
  projectId: string;
  email: string;
}

const columns = `project_id AS "projectId", id, email, subscribed, custom_fields AS "customFields", seq, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Every statement that makes, changes or deletes contacts also appends what it does to their number. */
export class ContactsRepository extends ScopedRepository<ContactRow> {
  constructor(database: Database) {
    super(database, ContactRow);
  }

  lockByEmail(projectId: string, email: string): Promise<ContactRow | null> {
    return this.rows.findOne({ where: { projectId, email }, lock: { mode: 'pessimistic_write' } });
  }

  /** The ids of those contacts that exist. */
  async idsOf(keys: ContactKey[]): Promise<(ContactKey & { id: string })[]> {
    return this.database.query(
      `SELECT project_id AS "projectId", email, id FROM contacts
       JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[]) AS asked (project_id, email)) AS asked USING (project_id, email)`,
      [keys.map(({ projectId }) => projectId), keys.map(({ email }) => email)],
    );
  }

  variablesOf(projectId: string, emails: string[]): Promise<ContactVariables[]> {
    return this.database.query(
      `SELECT id, email, custom_fields AS "customFields" FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[])`,
      [projectId, emails],
    );
  }

  /** Makes those that do not exist yet, in the order of their addresses: two batches then never wait for one another. */
  async insertMissing(contacts: NewContact[]): Promise<ContactRow[]> {
    const made = await this.database.query<Partial<ContactRow>>(
      `WITH made AS (
         INSERT INTO contacts (project_id, id, email, subscribed, custom_fields)
         SELECT DISTINCT ON (project_id, email) project_id, id, email, subscribed, custom_fields::jsonb
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::text[]) AS n (project_id, id, email, subscribed, custom_fields)
         ORDER BY project_id, email
         ON CONFLICT (project_id, email) DO NOTHING
         RETURNING *
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT project_id, count(*), count(*) FILTER (WHERE subscribed) FROM made GROUP BY project_id
       )
       SELECT ${columns} FROM made`,
      [
        contacts.map(({ projectId }) => projectId),
        contacts.map(({ id }) => id),
        contacts.map(({ email }) => email),
        contacts.map(({ subscribed }) => subscribed),
        contacts.map(({ customFields }) => JSON.stringify(customFields)),
      ],
    );
    return made.map((row) => Object.assign(new ContactRow(), row));
  }

  /** Writes a locked row. Its clock is the instant of the change: one that waited for the lock began before its predecessor ended. */
  async save(row: ContactRow): Promise<void> {
    const { projectId, id, subscribed, customFields } = row;
    const [saved] = await this.database.query<Pick<ContactRow, 'seq' | 'updatedAt'>>(
      `WITH was AS (
         SELECT subscribed FROM contacts WHERE project_id = $1 AND id = $2
       ), now_is AS (
         UPDATE contacts SET subscribed = $3, custom_fields = $4::jsonb, seq = seq + 1, updated_at = clock_timestamp()
         WHERE project_id = $1 AND id = $2 RETURNING subscribed, seq, updated_at
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT $1, 0, now_is.subscribed::int - was.subscribed::int FROM was, now_is WHERE now_is.subscribed <> was.subscribed
       )
       SELECT seq, updated_at AS "updatedAt" FROM now_is`,
      [projectId, id, subscribed, JSON.stringify(customFields)],
    );
    Object.assign(row, saved);
  }

  /** The instant of the deletion; null when there is no such contact. */
  async remove(projectId: string, id: string): Promise<Date | null> {
    const [gone] = await this.database.query<{ at: Date }>(
      `WITH gone AS (
         DELETE FROM contacts WHERE project_id = $1 AND id = $2 RETURNING subscribed
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed) SELECT $1, -1, -subscribed::int FROM gone
       ), left_segments AS (
         DELETE FROM segment_members WHERE project_id = $1 AND contact_id = $2 RETURNING segment_id
       ), segments_counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT $1, segment_id, -1 FROM left_segments
       ), not_due AS (
         DELETE FROM segment_due WHERE project_id = $1 AND contact_id = $2
       )
       SELECT clock_timestamp() AS at FROM gone`,
      [projectId, id],
    );
    return gone?.at ?? null;
  }

  list(projectId: string, query: ListContacts): Promise<Page<ContactRow>> {
    return this.page(projectId, query, filtersOf(query));
  }

  /** How many match, counted no further than one beyond the cap (contract.md §1). */
  async countMatches(projectId: string, filter: ContactFilter): Promise<number> {
    const matches = this.rows.createQueryBuilder('row').select('1').where('row.projectId = :projectId', { projectId });
    for (const { sql, parameters } of filtersOf(filter)) matches.andWhere(sql, parameters);
    const counted = this.database.manager.createQueryBuilder().select('count(*)', 'count');
    const capped = matches.limit(totalCap + 1);
    const row = await counted.from(`(${capped.getQuery()})`, 'capped').setParameters(capped.getParameters()).getRawOne<{ count: number }>();
    return row!.count;
  }
}

const memberOf =
  'EXISTS (SELECT FROM segment_members m WHERE m.project_id = row.projectId AND m.segment_id = :segmentId AND m.contact_id = row.id)';

function filtersOf({ search, subscribed, segmentId }: ContactFilter) {
  return [
    // Addresses are stored in lower case, so a search in lower case finds them whatever its case was.
    search === undefined ? null : { sql: 'row.email LIKE :search', parameters: { search: `%${escapeLike(search.toLowerCase())}%` } },
    subscribed === undefined ? null : { sql: 'row.subscribed = :subscribed', parameters: { subscribed } },
    segmentId === undefined ? null : { sql: memberOf, parameters: { segmentId } },
  ].filter((filter) => filter !== null);
}

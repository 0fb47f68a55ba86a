import type { ContactFilter, ContactVariables, DeleteContacts, ListContacts } from '@posthorn/contracts';
import { ScopedRepository, totalCap, type Database, type Page, type PageFilter } from '@posthorn/database';
import { recordsConsents } from '../consents/consents.repository.js';
import { marksDirty } from '../segments/segment-dirty.repository.js';
import { AddressSearch } from './address-search.js';
import type { WriteOrigin } from './writes/contact-write.js';
import { ContactRow } from './contact.entity.js';

export interface ContactKey {
  projectId: string;
  email: string;
}

const columns = `project_id AS "projectId", id, email, subscribed, custom_fields AS "customFields", seq, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Every statement that makes, changes or deletes contacts also appends what it does to their number. */
export class ContactsRepository extends ScopedRepository<ContactRow> {
  private readonly search: AddressSearch;

  constructor(database: Database) {
    super(database, ContactRow);
    this.search = new AddressSearch(database);
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

  /** Those of the addresses that are contacts, in no order. */
  async byAddresses(keys: ContactKey[]): Promise<ContactRow[]> {
    const rows = await this.database.prepared<Partial<ContactRow>>({
      name: 'contacts by address',
      // One look in the index for each: a join is planned once, for as few contacts as there were then.
      sql: `SELECT known.* FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[]) AS a (project_id, email)) AS asked
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM contacts WHERE contacts.project_id = asked.project_id AND contacts.email = asked.email LIMIT 1
        ) AS known`,
      parameters: [keys.map(({ projectId }) => projectId), keys.map(({ email }) => email)],
    });
    return rows.map((row) => Object.assign(new ContactRow(), row));
  }

  /** None of them is deleted until the end of the transaction. In the order in which writes lock. */
  async keep(projectId: string, emails: string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[]) ORDER BY email COLLATE "C" FOR KEY SHARE`,
      [projectId, emails],
    );
  }

  /** Writes a locked row. Its clock is the instant of the change: one that waited for the lock began before its predecessor ended. */
  async save(row: ContactRow, { source, actor, address, userAgent, text }: WriteOrigin): Promise<void> {
    const { projectId, id, subscribed, customFields } = row;
    const [saved] = await this.database.query<Pick<ContactRow, 'seq' | 'updatedAt'>>(
      `WITH told AS (
         UPDATE contacts SET subscribed = $3, custom_fields = $4::jsonb, seq = seq + 1, updated_at = clock_timestamp()
         WHERE project_id = $1 AND id = $2 RETURNING *, old.subscribed AS was_subscribed
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT $1, 0, subscribed::int - was_subscribed::int FROM told WHERE subscribed <> was_subscribed
       ), consent AS (
         ${recordsConsents(`told, (SELECT $5 AS source, $6 AS actor, $7 AS address, $8 AS user_agent, $9 AS text) AS origin WHERE subscribed <> was_subscribed`)}
       ), ${marksDirty('told')}
       SELECT seq, updated_at AS "updatedAt" FROM told`,
      [
        projectId,
        id,
        subscribed,
        JSON.stringify(customFields),
        source,
        actor && JSON.stringify(actor),
        address,
        userAgent,
        text,
      ],
    );
    Object.assign(row, saved);
  }

  /** Deletes many, locked in the order in which batches write; answers whom, and when. */
  removeMany(
    projectId: string,
    { ids = [], emails = [] }: DeleteContacts,
  ): Promise<{ contactId: string; email: string; at: Date }[]> {
    return this.database.query(
      `WITH held AS MATERIALIZED (
         SELECT id FROM contacts WHERE project_id = $1 AND (id = ANY($2::uuid[]) OR email = ANY($3::text[])) ORDER BY email FOR UPDATE
       ), gone AS (
         DELETE FROM contacts WHERE project_id = $1 AND id IN (SELECT id FROM held) RETURNING project_id, id, email, subscribed
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT $1, -count(*), -count(*) FILTER (WHERE subscribed) FROM gone HAVING count(*) > 0
       ), ${marksDirty('gone')}
       SELECT id AS "contactId", email, clock_timestamp() AS at FROM gone`,
      [projectId, ids, emails],
    );
  }

  async list(projectId: string, query: ListContacts): Promise<Page<ContactRow>> {
    return this.page(projectId, query, await this.filtersOf(projectId, query));
  }

  /** How many match, counted no further than one beyond the cap (docs/api-decisions.md §1). */
  async countMatches(projectId: string, filter: ContactFilter): Promise<number> {
    const matches = this.rows
      .createQueryBuilder('row')
      .select('1')
      .where('row.projectId = :projectId', { projectId });
    for (const { sql, parameters } of await this.filtersOf(projectId, filter))
      matches.andWhere(sql, parameters);
    const counted = this.database.manager.createQueryBuilder().select('count(*)', 'count');
    const capped = matches.limit(totalCap + 1);
    const row = await counted
      .from(`(${capped.getQuery()})`, 'capped')
      .setParameters(capped.getParameters())
      .getRawOne<{ count: number }>();
    return row!.count;
  }

  private async filtersOf(
    projectId: string,
    { search, subscribed, listId, segmentId }: ContactFilter,
  ): Promise<PageFilter[]> {
    return [
      search === undefined ? null : await this.search.filterOf(projectId, search),
      subscribed === undefined ? null : { sql: 'row.subscribed = :subscribed', parameters: { subscribed } },
      listId === undefined ? null : { sql: memberOfList, parameters: { listId } },
      segmentId === undefined ? null : { sql: memberOfSegment, parameters: { segmentId } },
    ].filter((filter) => filter !== null);
  }
}

const memberOfList = `EXISTS (SELECT 1 FROM memberships member
  WHERE member.project_id = row.project_id AND member.list_id = :listId AND member.contact_id = row.id AND member.status = 'CONFIRMED')`;

const memberOfSegment = `EXISTS (SELECT 1 FROM segment_members member
  WHERE member.project_id = row.project_id AND member.segment_id = :segmentId AND member.contact_id = row.id)`;

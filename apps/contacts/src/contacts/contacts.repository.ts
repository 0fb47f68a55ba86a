import {
  contactNotFound,
  type ContactFilter,
  type ContactVariables,
  type DeleteContacts,
  type ListContacts,
} from '@posthorn/contracts';
import {
  equals,
  ScopedRepository,
  type Database,
  type Page,
  type PageFilter,
  type Total,
} from '@posthorn/database';
import { recordsConsents } from '../consents/consents.repository.js';
import { marksDirty } from '../segments/segment-dirty.repository.js';
import { AppliedEffects } from './applied-effects.repository.js';
import { AddressSearch } from './address-search.js';
import type { WriteOrigin } from './writes/contact-write.js';
import { contactAt, ofRequested } from './contact-at.js';
import { ContactRow } from './contact.entity.js';

export interface ContactKey {
  projectId: string;
  email: string;
}

export interface KnownContact extends ContactKey {
  id: string;
}

const columns = `project_id AS "projectId", id, email, subscribed, custom_fields AS "customFields", seq, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Every statement that creates, changes or deletes contacts also appends what it does to their count. */
export class ContactsRepository extends ScopedRepository<ContactRow> {
  private readonly search: AddressSearch;
  private readonly effects: AppliedEffects;

  constructor(database: Database) {
    super(database, ContactRow, contactNotFound);
    this.search = new AddressSearch(database);
    this.effects = new AppliedEffects(database);
  }

  /** A step of a workflow that was not applied before; its contact is locked. */
  isNewEffect(projectId: string, id: string): Promise<boolean> {
    return this.effects.isNew(projectId, id);
  }

  lockByEmail(projectId: string, email: string): Promise<ContactRow | null> {
    return this.rows.findOne({ where: { projectId, email }, lock: { mode: 'pessimistic_write' } });
  }

  idsOf(keys: ContactKey[]): Promise<KnownContact[]> {
    return this.database.often(known('project_id AS "projectId", email, id'), keysOf(keys));
  }

  variablesOf(projectId: string, emails: string[]): Promise<ContactVariables[]> {
    return this.database.query(
      `SELECT id, email, custom_fields AS "customFields" FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[])`,
      [projectId, emails],
    );
  }

  async subscribedAmong(projectId: string, emails: string[]): Promise<string[]> {
    const rows = await this.database.query<{ email: string }>(
      `SELECT email FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[]) AND subscribed`,
      [projectId, emails],
    );
    return rows.map(({ email }) => email);
  }

  async byAddresses(keys: ContactKey[]): Promise<ContactRow[]> {
    const rows = await this.database.prepared<Partial<ContactRow>>({
      name: 'contacts by address',
      sql: known(columns),
      parameters: keysOf(keys),
    });
    return rows.map((row) => Object.assign(new ContactRow(), row));
  }

  /** Prevents their deletion until the end of the transaction; locks in the same order as writes. */
  async lockAgainstDeletion(projectId: string, emails: string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[]) ORDER BY email COLLATE "C" FOR KEY SHARE`,
      [projectId, emails],
    );
  }

  /** Until the end of the transaction, in the order of all writes. */
  async lockAll(projectId: string, emails: string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[]) ORDER BY email COLLATE "C" FOR NO KEY UPDATE`,
      [projectId, emails],
    );
  }

  /** Addresses of contacts who left, by themselves or by whoever manages them; a recipient of transactional mail has not. */
  async unsubscribedOf(projectId: string, emails: string[]): Promise<string[]> {
    const rows = await this.database.query<{ email: string }>(
      `SELECT email FROM contacts c WHERE project_id = $1 AND email = ANY ($2::text[]) AND NOT subscribed AND EXISTS (
         SELECT FROM consents WHERE project_id = $1 AND contact_id = c.id AND topic_id IS NULL AND NOT after AND (before OR source <> 'SEND'))`,
      [projectId, emails],
    );
    return rows.map(({ email }) => email);
  }

  /** Writes a locked row. `now()` would be the start of the transaction, which may be before the change that it waited for. */
  async save(row: ContactRow, { source, actor, address, userAgent, text }: WriteOrigin): Promise<void> {
    const { projectId, id, subscribed, customFields } = row;
    const [saved] = await this.database.query<Pick<ContactRow, 'seq' | 'updatedAt'>>(
      `WITH changed AS (
         UPDATE contacts SET subscribed = $3, custom_fields = $4::jsonb, seq = seq + 1, updated_at = clock_timestamp()
         WHERE project_id = $1 AND id = $2 RETURNING *, old.subscribed AS was_subscribed
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT $1, 0, subscribed::int - was_subscribed::int FROM changed WHERE subscribed <> was_subscribed
       ), consent AS (
         ${recordsConsents(`changed, (SELECT $5 AS source, $6 AS actor, $7 AS address, $8 AS user_agent, $9 AS text) AS origin WHERE subscribed <> was_subscribed`)}
       ), ${marksDirty('changed')}
       SELECT seq, updated_at AS "updatedAt" FROM changed`,
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

  removeMany(
    projectId: string,
    { ids = [], emails = [] }: DeleteContacts,
  ): Promise<{ contactId: string; email: string; at: Date }[]> {
    return this.database.query(
      `WITH held AS MATERIALIZED (
         SELECT id FROM contacts WHERE project_id = $1 AND (id = ANY($2::uuid[]) OR email = ANY($3::text[])) ORDER BY email FOR UPDATE
       ), deleted AS (
         DELETE FROM contacts WHERE project_id = $1 AND id IN (SELECT id FROM held) RETURNING project_id, id, email, subscribed
       ), counted AS (
         INSERT INTO contact_count_deltas (project_id, total, subscribed)
         SELECT $1, -count(*), -count(*) FILTER (WHERE subscribed) FROM deleted HAVING count(*) > 0
       ), ${marksDirty('deleted')}
       SELECT id AS "contactId", email, clock_timestamp() AS at FROM deleted`,
      [projectId, ids, emails],
    );
  }

  async list(projectId: string, query: ListContacts): Promise<Page<ContactRow>> {
    return this.page(projectId, query, await this.filtersOf(projectId, query));
  }

  async countMatches(projectId: string, filter: ContactFilter): Promise<Total> {
    return this.matches(projectId, await this.filtersOf(projectId, filter));
  }

  private async filtersOf(
    projectId: string,
    { search, email, subscribed, listId, segmentId }: ContactFilter,
  ): Promise<(PageFilter | null)[]> {
    return [
      search === undefined ? null : await this.search.filterOf(projectId, search),
      equals('row.email', email),
      equals('row.subscribed', subscribed),
      listId === undefined ? null : { sql: memberOfList, parameters: { listId } },
      segmentId === undefined ? null : { sql: memberOfSegment, parameters: { segmentId } },
    ];
  }
}

/** One look into the index for each address: a join would be planned once, while the table was small. */
const known = (selected: string): string =>
  `SELECT known.* FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[]) AS k (project_id, email)) AS requested
   CROSS JOIN LATERAL (
     ${contactAt(ofRequested, selected)}
   ) AS known`;

const keysOf = (keys: readonly ContactKey[]): string[][] => [
  keys.map(({ projectId }) => projectId),
  keys.map(({ email }) => email),
];

const memberOfList = `EXISTS (SELECT 1 FROM memberships member
  WHERE member.project_id = row.project_id AND member.list_id = :listId AND member.contact_id = row.id AND member.status = 'CONFIRMED')`;

const memberOfSegment = `EXISTS (SELECT 1 FROM segment_members member
  WHERE member.project_id = row.project_id AND member.segment_id = :segmentId AND member.contact_id = row.id)`;

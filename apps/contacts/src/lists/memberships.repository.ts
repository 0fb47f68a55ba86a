import type { ConsentSource, MembershipStatus } from '@posthorn/contracts';
import { ScopedRepository, type Database } from '@posthorn/database';
import { In } from 'typeorm';
import { leftOnPage, recordsHistory } from '../activity/contact-history.repository.js';
import { MembershipRow } from './membership.entity.js';

const tokenLifetime = `interval '24 hours'`;
/** A form that is sent again and again for one address causes no mail each time. */
const quietAfterAsking = `interval '10 minutes'`;

/** Every statement that creates, changes or deletes memberships also appends what it does to their counts, and changes to the history of the contact. */
export class MembershipsRepository extends ScopedRepository<MembershipRow> {
  constructor(database: Database) {
    super(database, MembershipRow);
  }

  all(projectId: string, ids: readonly string[]): Promise<MembershipRow[]> {
    return this.rows.findBy({ projectId, id: In([...ids]) });
  }

  of(projectId: string, listId: string, contactId: string): Promise<MembershipRow | null> {
    return this.rows.findOneBy({ projectId, listId, contactId });
  }

  /** Of a locked contact; the lifetime of its token begins now. */
  async put(
    row: MembershipRow,
    before: MembershipStatus | null,
    source: ConsentSource | null,
  ): Promise<void> {
    const [put] = await this.database.query<Pick<MembershipRow, 'createdAt' | 'updatedAt' | 'tokenEndsAt'>>(
      `WITH put AS (
         INSERT INTO memberships AS known (project_id, list_id, contact_id, id, status, token_hash, token_round, subscribes_contact,
           token_ends_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE $5 WHEN 'PENDING' THEN clock_timestamp() + ${tokenLifetime} END,
           clock_timestamp(), clock_timestamp())
         ON CONFLICT (project_id, list_id, contact_id) DO UPDATE SET status = excluded.status, token_hash = excluded.token_hash,
           token_round = excluded.token_round, subscribes_contact = excluded.subscribes_contact, token_ends_at = excluded.token_ends_at,
           updated_at = excluded.updated_at
         RETURNING created_at, updated_at, token_ends_at
       ), counted AS (
         INSERT INTO list_count_deltas (project_id, list_id, pending, confirmed, unsubscribed)
         VALUES ($1, $2, ${['PENDING', 'CONFIRMED', 'UNSUBSCRIBED'].map((each) => `($5 = '${each}')::int - ($9 = '${each}')::int`).join(', ')})
       ), history AS (
         ${recordsHistory(`(SELECT $1::uuid AS project_id, $3::uuid AS contact_id, 'list.' || lower($5) AS kind, $2::uuid AS subject_id)`, '$10')}
       )
       SELECT created_at AS "createdAt", updated_at AS "updatedAt", token_ends_at AS "tokenEndsAt" FROM put`,
      [
        row.projectId,
        row.listId,
        row.contactId,
        row.id,
        row.status,
        row.tokenHash,
        row.tokenRound,
        row.subscribesContact,
        before ?? '',
        source,
      ],
    );
    Object.assign(row, put);
  }

  /** Whether the last change was that a confirmed member left on the page of a mail. */
  async mayReturn({ projectId, listId, contactId }: MembershipRow): Promise<boolean> {
    const [row] = await this.database.query<{ mayReturn: boolean }>(
      `SELECT ${leftOnPage('$1::uuid', '$3::uuid', '$2::uuid')} AS "mayReturn"`,
      [projectId, listId, contactId],
    );
    return row!.mayReturn;
  }

  /** Of locked contacts and lists; existing memberships keep their status. Returns the new ones. */
  async join(
    projectId: string,
    listIds: string[],
    contactIds: string[],
  ): Promise<{ listId: string; contactId: string; at: Date }[]> {
    return this.database.query(
      `WITH joined AS (
         INSERT INTO memberships (project_id, list_id, contact_id, id, status, created_at, updated_at)
         SELECT $1, list_id, contact_id, uuidv7(), 'CONFIRMED', clock_timestamp(), clock_timestamp()
         FROM unnest($2::uuid[]) AS l (list_id) CROSS JOIN unnest($3::uuid[]) AS c (contact_id) ORDER BY list_id, contact_id
         ON CONFLICT DO NOTHING
         RETURNING list_id, contact_id, updated_at
       ), counted AS (
         INSERT INTO list_count_deltas (project_id, list_id, pending, confirmed, unsubscribed)
         SELECT $1, list_id, 0, count(*), 0 FROM joined GROUP BY list_id ORDER BY list_id
       ), history AS (
         ${recordsHistory(`(SELECT $1::uuid AS project_id, contact_id, 'list.confirmed' AS kind, list_id AS subject_id FROM joined)`, `'IMPORT'`)}
       )
       SELECT list_id AS "listId", contact_id AS "contactId", updated_at AS at FROM joined`,
      [projectId, listIds, contactIds],
    );
  }

  /** Returns whether the contact asked last a while ago. */
  async renew({ projectId, id, tokenHash, tokenRound }: MembershipRow): Promise<boolean> {
    const [row] = await this.database.query<{ asksAgain: boolean }>(
      `UPDATE memberships SET token_hash = $3, token_round = $4, token_ends_at = clock_timestamp() + ${tokenLifetime} WHERE project_id = $1 AND id = $2
       RETURNING old.token_ends_at < clock_timestamp() + ${tokenLifetime} - ${quietAfterAsking} AS "asksAgain"`,
      [projectId, id, tokenHash, tokenRound],
    );
    return row!.asksAgain;
  }

  async removeOf(projectId: string, contactIds: string[]): Promise<void> {
    await this.database.query(
      `WITH deleted AS (
         DELETE FROM memberships WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) RETURNING list_id, status
       )
       INSERT INTO list_count_deltas (project_id, list_id, pending, confirmed, unsubscribed)
       SELECT $1, list_id, -count(*) FILTER (WHERE status = 'PENDING'), -count(*) FILTER (WHERE status = 'CONFIRMED'),
         -count(*) FILTER (WHERE status = 'UNSUBSCRIBED')
       FROM deleted GROUP BY list_id ORDER BY list_id`,
      [projectId, contactIds],
    );
  }

  /** Of a deleted list, which has no counts any more; returns the contacts. */
  async removeFrom(projectId: string, listId: string, limit: number): Promise<string[]> {
    const removed = await this.database.query<{ contactId: string }>(
      `DELETE FROM memberships WHERE project_id = $1 AND list_id = $2 AND contact_id = ANY(ARRAY(
         SELECT contact_id FROM memberships WHERE project_id = $1 AND list_id = $2 ORDER BY contact_id LIMIT $3 FOR UPDATE
       )) RETURNING contact_id AS "contactId"`,
      [projectId, listId, limit],
    );
    return removed.map(({ contactId }) => contactId);
  }
}

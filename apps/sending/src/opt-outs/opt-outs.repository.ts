import type { ContactEvent, PersonOptOut, SuppressionReason } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { ErasedAddressHasher } from '../erasures/erased-names.js';
import { addressLockKeySql } from '../suppressions/suppressions.repository.js';

export interface OptOutPut {
  projectId: string;
  email: string;
  contactId: string;
  seq: number;
  suppress?: SuppressionReason;
}

export const noContact = '00000000-0000-0000-0000-000000000000';

export class OptOutsRepository {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
  ) {}

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** Waits for marks of these addresses, in the lock order of marks; later marks see the opt-outs. */
  async lock(puts: OptOutPut[]): Promise<void> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (
         SELECT DISTINCT project_id, email FROM unnest($1::uuid[], $2::text[]) AS a (project_id, email) ORDER BY project_id, email
       ) AS address`,
      [puts.map(({ projectId }) => projectId), puts.map(({ email }) => email)],
    );
  }

  async find(projectId: string, email: string): Promise<PersonOptOut | null> {
    const [row] = await this.database.query<PersonOptOut>(
      `SELECT opted_out AS "optedOut", since FROM opt_outs WHERE project_id = $1 AND email IN ($2, $3)`,
      [projectId, email, this.hasher.hash(projectId, email)],
    );
    return row ?? null;
  }

  async put(puts: OptOutPut[]): Promise<void> {
    await this.database.query(
      `INSERT INTO opt_outs AS known (project_id, email, opted_out, contact_id, seq, stranger_at)
       SELECT DISTINCT ON (project_id, email) project_id, email, true, contact_id, seq,
         CASE WHEN bool_or(contact_id = '${noContact}') OVER (PARTITION BY project_id, email) THEN clock_timestamp() END
       FROM (
         SELECT p.project_id, coalesce(erased.email, p.email) AS email, p.contact_id, seq
         FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[], $5::text[]) AS p (project_id, email, contact_id, seq, hash)
         LEFT JOIN ${erased}
       ) AS p
       ORDER BY project_id, email, contact_id DESC, seq DESC
       ON CONFLICT (project_id, email) DO UPDATE
         SET opted_out = true, since = CASE WHEN known.opted_out THEN known.since ELSE now() END,
             stranger_at = coalesce(excluded.stranger_at, known.stranger_at),
             contact_id = CASE WHEN ${isNewer} THEN excluded.contact_id ELSE known.contact_id END,
             seq = CASE WHEN ${isNewer} THEN excluded.seq ELSE known.seq END`,
      this.columnsOf(puts),
    );
  }

  /** Applies an event unless something newer is stored, from the contact or from the address itself. */
  async follow(projectId: string, contacts: ContactEvent[]): Promise<void> {
    await this.database.query(
      `INSERT INTO opt_outs AS known (project_id, email, contact_id, seq, opted_out, since)
       SELECT DISTINCT ON (email) project_id, email, contact_id, seq, opted_out, at
       FROM (
         SELECT p.project_id, coalesce(erased.email, p.email) AS email, p.contact_id, seq, opted_out, at
         FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::boolean[], $7::timestamptz[])
           AS p (project_id, email, contact_id, seq, hash, opted_out, at)
         LEFT JOIN ${erased}
       ) AS p
       ORDER BY email, contact_id DESC, seq DESC
       ON CONFLICT (project_id, email) DO UPDATE
         SET opted_out = excluded.opted_out OR coalesce(excluded.since < known.stranger_at, false),
             contact_id = excluded.contact_id, seq = excluded.seq, since = excluded.since
         WHERE ${isNewer}`,
      [
        ...this.columnsOf(contacts.map((contact) => ({ ...contact, projectId }))),
        contacts.map(({ subscribed }) => !subscribed),
        contacts.map(({ at }) => at),
      ],
    );
  }

  private columnsOf(puts: OptOutPut[]): unknown[] {
    return [
      puts.map(({ projectId }) => projectId),
      puts.map(({ email }) => email),
      puts.map(({ contactId }) => contactId),
      puts.map(({ seq }) => seq),
      puts.map(({ projectId, email }) => this.hasher.hash(projectId, email)),
    ];
  }
}

const isNewer = `(known.contact_id, known.seq) < (excluded.contact_id, excluded.seq)`;

/** Consents of an erased address are stored under its hash. */
const erased = `erased_addresses erased ON erased.project_id = p.project_id AND erased.email = p.hash`;

import type { Database } from '@posthorn/database';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import type { AcceptRow } from './accept-row.js';
import { acceptStatement } from './accept-statement.js';

/** What a key is looked up by. */
type KeyedRow = Pick<AcceptRow, 'projectId' | 'claim'>;

export interface KnownKey {
  bodyHash: string;
  /** What the first request was answered, without the instant. */
  receipt: object;
  at: Date;
}

interface KeyRow {
  place: number;
  body_hash: string;
  receipt: object;
  created_at: Date;
}

const keyHours = 24;

/** The statements of accepting mail: one for the whole gathered batch, one commit. */
export class AcceptingRepository {
  private readonly attachments: AttachmentsRepository;

  constructor(private readonly database: Database) {
    this.attachments = new AttachmentsRepository(database);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /** The receipts of finished keys, by place. */
  async knownKeys(rows: KeyedRow[]): Promise<Map<number, KnownKey>> {
    const found = await this.database.query<KeyRow>(
      `SELECT asked.place, k.body_hash, k.receipt, k.created_at
       FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, operation, key)
       JOIN idempotency_keys k USING (project_id, operation, key)
       WHERE k.created_at > now() - make_interval(hours => ${keyHours})`,
      keyColumns(rows),
    );
    return new Map(
      found.map(({ place: index, body_hash, receipt, created_at }) => [
        index,
        { bodyHash: body_hash, receipt, at: created_at },
      ]),
    );
  }

  /** Tries the lock of every key, until the end of the transaction; a key that another request holds is in flight. */
  async lockKeys(rows: KeyedRow[]): Promise<Set<number>> {
    const locked = await this.database.query<{ place: number }>(
      `SELECT place FROM (
         SELECT place, pg_try_advisory_xact_lock(hashtextextended(project_id || operation || key, 24)) AS locked
         FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, operation, key)
       ) AS tried WHERE locked`,
      keyColumns(rows),
    );
    return new Set(locked.map(({ place: index }) => index));
  }

  async rememberKey(
    projectId: string,
    { key, operation, bodyHash }: NonNullable<AcceptRow['claim']>,
    receipt: object,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, operation, key) DO UPDATE SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()`,
      [projectId, operation, key, bodyHash, JSON.stringify(receipt)],
    );
  }

  /** Stores what is before its deadline and not voided; answers the instant of acceptance by content id. */
  insert(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const withFiles = rows.filter(({ files }) => files.length > 0);
    if (withFiles.length === 0) return this.insertEmails(rows);
    return this.transaction(async () => {
      const instants = await this.insertEmails(rows);
      for (const row of withFiles)
        if (instants.has(row.contentId))
          await this.attachments.insert(row.projectId, row.contentId, row.files);
      return instants;
    });
  }

  private async insertEmails(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const inserted = await this.database.prepared<{ content_id: string; created_at: Date }>(
      acceptStatement(rows),
    );
    return new Map(inserted.map(({ content_id, created_at }) => [content_id, created_at]));
  }

  /** Holds the ids against a late insert; answers how many were still free. */
  async void(projectId: string, ids: string[]): Promise<number> {
    const voided = await this.database.query(
      `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
       SELECT $1::uuid, id, id, '', '', '', 'VOIDED' FROM unnest($2::uuid[]) AS v (id) ORDER BY id
       ON CONFLICT DO NOTHING RETURNING id`,
      [projectId, ids],
    );
    return voided.length;
  }

  async accepted(
    projectId: string,
    ids: string[],
  ): Promise<{ id: string; to: string; from: string; contactId: string | null; acceptedAt: Date }[]> {
    return this.database.query(
      `SELECT id, to_email AS to, from_email AS "from", contact_id AS "contactId", created_at AS "acceptedAt"
       FROM emails WHERE project_id = $1 AND id = ANY($2::uuid[]) AND status <> 'VOIDED'`,
      [projectId, ids],
    );
  }

  async deleteOldKeys(): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => ${keyHours + 1})`,
    );
  }
}

function keyColumns(rows: KeyedRow[]): unknown[][] {
  const keyed = rows.map((row, index) => ({ row, place: index })).filter(({ row }) => row.claim !== null);
  return [
    keyed.map(({ place: index }) => index),
    keyed.map(({ row }) => row.projectId),
    keyed.map(({ row }) => row.claim!.operation),
    keyed.map(({ row }) => row.claim!.key),
  ];
}

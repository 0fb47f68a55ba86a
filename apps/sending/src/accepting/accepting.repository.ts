import { columnsOf, type Database } from '@posthorn/database';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import type { AcceptRow } from './accept-row.js';
import { acceptStatement } from './accept-statement.js';

type KeyedRow = Pick<AcceptRow, 'projectId' | 'idempotency'>;

export interface KnownKey {
  bodyHash: string;
  receipt: object;
  at: Date;
}

interface IndexedKey extends KeyedRow {
  index: number;
}

const keys = columnsOf<IndexedKey>([
  { column: 'row_index', type: 'int', value: ({ index }) => index },
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'operation', type: 'text', value: ({ idempotency }) => idempotency!.operation },
  { column: 'key', type: 'text', value: ({ idempotency }) => idempotency!.key },
]);

const keyHours = 24;
const idempotencyLockSeed = 24;

export class AcceptingRepository {
  private readonly attachments: AttachmentsRepository;

  constructor(private readonly database: Database) {
    this.attachments = new AttachmentsRepository(database);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async knownKeys(rows: KeyedRow[]): Promise<Map<number, KnownKey>> {
    const found = await this.database.query<KnownKey & { index: number }>(
      `SELECT requested.row_index AS index, k.body_hash AS "bodyHash", k.receipt, k.created_at AS at
       FROM ${keys.unnest('requested', 1)}
       JOIN idempotency_keys k USING (project_id, operation, key)
       WHERE k.created_at > now() - make_interval(hours => ${keyHours})`,
      keys.values(keyed(rows)),
    );
    return new Map(found.map(({ index, ...key }) => [index, key]));
  }

  /** Locks last until the end of the transaction. A key that cannot be locked belongs to a request in flight. */
  async lockKeys(rows: KeyedRow[]): Promise<Set<number>> {
    const locked = await this.database.query<{ index: number }>(
      `SELECT row_index AS index FROM (
         SELECT row_index, pg_try_advisory_xact_lock(hashtextextended(project_id || operation || key, ${idempotencyLockSeed})) AS locked
         FROM ${keys.unnest('requested', 1)}
       ) AS tried WHERE locked`,
      keys.values(keyed(rows)),
    );
    return new Set(locked.map(({ index }) => index));
  }

  async rememberKey(
    projectId: string,
    { key, operation, bodyHash }: NonNullable<AcceptRow['idempotency']>,
    receipt: object,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, operation, key) DO UPDATE SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()`,
      [projectId, operation, key, bodyHash, JSON.stringify(receipt)],
    );
  }

  /** Stores rows whose deadline has not passed and whose ids are not voided; returns the time of acceptance by content id. */
  insert(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const withFiles = rows.filter(({ files }) => files.length > 0);
    if (withFiles.length === 0) return this.insertEmails(rows);
    return this.transaction(async () => {
      const acceptedAt = await this.insertEmails(rows);
      for (const row of withFiles)
        if (acceptedAt.has(row.contentId))
          await this.attachments.insert(row.projectId, row.contentId, row.files);
      return acceptedAt;
    });
  }

  private async insertEmails(rows: AcceptRow[]): Promise<Map<string, Date>> {
    const inserted = await this.database.prepared<{ content_id: string; created_at: Date }>(
      acceptStatement(rows),
    );
    return new Map(inserted.map(({ content_id, created_at }) => [content_id, created_at]));
  }

  /** Writes tombstones, so that a late insert of these ids conflicts; returns how many ids were still free. */
  async voidIds(projectId: string, ids: string[]): Promise<number> {
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

const keyed = (rows: KeyedRow[]): IndexedKey[] =>
  rows.map((row, index) => ({ ...row, index })).filter(({ idempotency }) => idempotency !== null);

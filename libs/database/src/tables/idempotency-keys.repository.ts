import { keyInFlight, keyReused, reviveDates, type IdempotentRequest, type Shape } from '@posthorn/contracts';
import type { Database } from '../database.js';

const keyHours = 24;
/** Old keys deleted with each new one, so that the table shrinks faster than it grows. */
const deletedWithEach = 2;

/** Stored in the database of the effect, so that key, effect and receipt are one commit. */
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  async receipt<T extends object>(
    projectId: string,
    idempotency: IdempotentRequest | undefined,
    shape: Shape<T>,
  ): Promise<T | null> {
    if (!idempotency) return null;
    const [known] = await this.database.query<{ receipt: T; body_hash: string }>(
      `SELECT receipt, body_hash FROM idempotency_keys
       WHERE project_id = $1 AND operation = $2 AND key = $3 AND created_at > now() - make_interval(hours => ${keyHours})`,
      [projectId, idempotency.operation, idempotency.key],
    );
    if (known && known.body_hash !== idempotency.bodyHash) throw keyReused();
    return known ? reviveDates(shape, known.receipt) : null;
  }

  /** In the ambient transaction, unless the key has finished. While another request uses the key: 409. */
  once<T extends object>(
    projectId: string,
    idempotency: IdempotentRequest | undefined,
    shape: Shape<T>,
    effect: () => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      if (!idempotency) return effect();
      const finished = await this.receipt(projectId, idempotency, shape);
      if (finished) return finished;
      await this.lock(projectId, idempotency);
      // Another request may have finished before the lock.
      return (
        (await this.receipt(projectId, idempotency, shape)) ??
        this.store(projectId, idempotency, shape, await effect())
      );
    });
  }

  /** Deletes keys that match, and rewrites up to `limit` receipts that do. Returns whether none is left. */
  async erase(
    projectId: string,
    pattern: string,
    limit: number,
    rewrite: (receipt: object) => object,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.database.query(`DELETE FROM idempotency_keys WHERE project_id = $1 AND key ~* $2`, [
        projectId,
        pattern,
      ]);
      const found = await this.database.query<{ operation: string; key: string; receipt: object }>(
        `SELECT operation, key, receipt FROM idempotency_keys WHERE project_id = $1 AND receipt::text ~* $2 LIMIT $3 FOR UPDATE`,
        [projectId, pattern, limit],
      );
      await this.database.query(
        `UPDATE idempotency_keys AS known SET receipt = given.receipt::jsonb
         FROM unnest($2::text[], $3::text[], $4::text[]) AS given (operation, key, receipt)
         WHERE project_id = $1 AND known.operation = given.operation AND known.key = given.key`,
        [
          projectId,
          found.map(({ operation }) => operation),
          found.map(({ key }) => key),
          found.map(({ receipt }) => JSON.stringify(rewrite(receipt))),
        ],
      );
      return found.length < limit;
    });
  }

  private async lock(projectId: string, { operation, key }: IdempotentRequest): Promise<void> {
    const [tried] = await this.database.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1 || $2 || $3, 24)) AS locked`,
      [projectId, operation, key],
    );
    if (!tried!.locked) throw keyInFlight();
  }

  /** Returns the stored receipt: Postgres formats JSON differently, and a repeat must be identical. */
  private async store<T extends object>(
    projectId: string,
    { operation, key, bodyHash }: IdempotentRequest,
    shape: Shape<T>,
    receipt: T,
  ): Promise<T> {
    const [stored] = await this.database.query<{ receipt: T }>(
      `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, operation, key) DO UPDATE
         SET body_hash = excluded.body_hash, receipt = excluded.receipt, created_at = now()
       RETURNING receipt`,
      [projectId, operation, key, bodyHash, JSON.stringify(receipt)],
    );
    await this.deleteOld();
    return reviveDates(shape, stored!.receipt);
  }

  private async deleteOld(): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency_keys WHERE (project_id, operation, key) IN (
         SELECT project_id, operation, key FROM idempotency_keys WHERE created_at < now() - make_interval(hours => ${keyHours + 1})
         ORDER BY created_at LIMIT ${deletedWithEach} FOR UPDATE SKIP LOCKED)`,
    );
  }
}

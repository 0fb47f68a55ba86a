import { keyInFlight, keyReused, revive, type IdempotencyClaim, type Shape } from '@posthorn/contracts';
import type { Database } from '../database.js';

const keyHours = 24;
/** How many old keys each new one sweeps away: the table shrinks faster than it grows. */
const sweptAtOnce = 2;

/** The keys of requests that take effect once, in the database of the effect: claim, effect and receipt are one commit. */
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /** The receipt of a finished key; null when there is none, or no key. A key with another body is refused. */
  async receipt<T extends object>(
    projectId: string,
    claim: IdempotencyClaim | undefined,
    shape: Shape<T>,
  ): Promise<T | null> {
    if (!claim) return null;
    const [known] = await this.database.query<{ receipt: T; body_hash: string }>(
      `SELECT receipt, body_hash FROM idempotency_keys
       WHERE project_id = $1 AND operation = $2 AND key = $3 AND created_at > now() - make_interval(hours => ${keyHours})`,
      [projectId, claim.operation, claim.key],
    );
    if (known && known.body_hash !== claim.bodyHash) throw keyReused();
    return known ? revive(shape, known.receipt) : null;
  }

  /** Runs the effect unless the key has finished; joins the ambient transaction. While another request has the key: 409. */
  once<T extends object>(
    projectId: string,
    claim: IdempotencyClaim | undefined,
    shape: Shape<T>,
    effect: () => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      if (!claim) return effect();
      const finished = await this.receipt(projectId, claim, shape);
      if (finished) return finished;
      await this.lock(projectId, claim);
      // Between the look and the lock another request may have finished.
      return (
        (await this.receipt(projectId, claim, shape)) ?? this.keep(projectId, claim, shape, await effect())
      );
    });
  }

  /**
   * Takes words out of at most so many receipts that hold them, also as a part of others, and forgets the keys that do; `words` is a pattern as
   * Postgres reads it. Answers whether none is left.
   */
  async erase(
    projectId: string,
    texts: string,
    most: number,
    rewrite: (receipt: object) => object,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.database.query(`DELETE FROM idempotency_keys WHERE project_id = $1 AND key ~* $2`, [
        projectId,
        texts,
      ]);
      const held = await this.database.query<{ operation: string; key: string; receipt: object }>(
        `SELECT operation, key, receipt FROM idempotency_keys WHERE project_id = $1 AND receipt::text ~* $2 LIMIT $3 FOR UPDATE`,
        [projectId, texts, most],
      );
      await this.database.query(
        `UPDATE idempotency_keys AS known SET receipt = said.receipt::jsonb
         FROM unnest($2::text[], $3::text[], $4::text[]) AS said (operation, key, receipt)
         WHERE project_id = $1 AND known.operation = said.operation AND known.key = said.key`,
        [
          projectId,
          held.map(({ operation }) => operation),
          held.map(({ key }) => key),
          held.map(({ receipt }) => JSON.stringify(rewrite(receipt))),
        ],
      );
      return held.length < most;
    });
  }

  /** Until the end of the transaction, so that the claim of a crashed process frees itself. */
  private async lock(projectId: string, { operation, key }: IdempotencyClaim): Promise<void> {
    const [tried] = await this.database.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1 || $2 || $3, 24)) AS locked`,
      [projectId, operation, key],
    );
    if (!tried!.locked) throw keyInFlight();
  }

  /** Answers what was stored: Postgres may write JSON otherwise than we do, and a repeat has to be the same to the byte. */
  private async keep<T extends object>(
    projectId: string,
    { operation, key, bodyHash }: IdempotencyClaim,
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
    await this.sweep();
    return revive(shape, stored!.receipt);
  }

  private async sweep(): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency_keys WHERE (project_id, operation, key) IN (
         SELECT project_id, operation, key FROM idempotency_keys WHERE created_at < now() - make_interval(hours => ${keyHours + 1})
         ORDER BY created_at LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED)`,
    );
  }
}

import type { Database } from '@posthorn/database';
import type { AmbiguousPolicy, SendingConfig } from '../../config.js';
import { lanes, maxClaims, type Lane } from '../delivery-states.js';

export interface UnfinishedDelivery {
  projectId: string;
  emailId: string;
  position: number;
  leaseToken: number;
  recipient: string;
  trace: string | null;
  claims: number;
}

export interface DeliveryWithResends extends UnfinishedDelivery {
  resends: number;
}

export interface UnresolvedDelivery extends DeliveryWithResends {
  policy: AmbiguousPolicy;
  windowIsOver: boolean;
}

export interface AmbiguousRules {
  seconds: Record<Lane, number>;
  policies: Record<Lane, AmbiguousPolicy>;
}

export const policiesOf = ({
  ambiguousPolicy,
  ambiguousMarketingPolicy,
}: Pick<SendingConfig, 'ambiguousPolicy' | 'ambiguousMarketingPolicy'>): AmbiguousRules['policies'] => ({
  [lanes.transactional]: ambiguousPolicy,
  [lanes.bulk]: ambiguousMarketingPolicy,
});

/** What its history says, since nobody is left to write it. */
const diedInHandOff = 'The process that handed it over ended before the answer was recorded';
const diedBefore = 'The process that prepared it ended, and it is queued again';

const isLeased = `state IN ('CLAIMED', 'HANDOFF')`;

export class LeasesRepository {
  constructor(private readonly database: Database) {}

  async begin(workerId: string, leaseMs: number): Promise<void> {
    await this.database.query(
      `INSERT INTO workers (id, expires_at) VALUES ($1, now() + $2 * interval '1 millisecond')`,
      [workerId, leaseMs],
    );
  }

  /**
   * Returns false where the lease has expired, and with it all claims, or is unknown to this database.
   * Also records that this database is in use (docs/decisions/0021-overdue-mail.md).
   */
  async renew(workerId: string, leaseMs: number): Promise<boolean> {
    const rows = await this.database.query(
      `WITH renewed AS (
         UPDATE workers SET expires_at = now() + $2 * interval '1 millisecond' WHERE id = $1 AND expires_at > now() RETURNING id
       ), used AS (
         UPDATE installation SET alive_at = now() WHERE alive_at < now() - interval '1 minute' AND EXISTS (SELECT FROM renewed)
       )
       SELECT id FROM renewed`,
      [workerId, leaseMs],
    );
    return rows.length > 0;
  }

  async end(workerId: string): Promise<void> {
    await this.database.query(`DELETE FROM workers WHERE id = $1`, [workerId]);
  }

  // Messages of dead workers that were in hand-off become AMBIGUOUS, because they may have been sent. The
  // token stays, so a late final write of a worker that is alive after all still counts. The query steps from
  // worker to worker, because the index keeps dead entries until a vacuum and only a plain scan clears them.
  async sweepExpired({ seconds }: AmbiguousRules): Promise<number> {
    const rows = await this.database.query(
      `WITH RECURSIVE holder AS (
         (SELECT worker_id FROM deliveries WHERE ${isLeased} ORDER BY worker_id LIMIT 1)
         UNION ALL
         SELECT following.worker_id FROM holder, LATERAL (
           SELECT worker_id FROM deliveries WHERE ${isLeased} AND worker_id > holder.worker_id ORDER BY worker_id LIMIT 1
         ) AS following
       ), taken AS (
         UPDATE deliveries d
         SET state = CASE d.state WHEN 'CLAIMED' THEN 'QUEUED' ELSE 'AMBIGUOUS' END,
             due_at = CASE d.state WHEN 'CLAIMED' THEN d.due_at
                      ELSE now() + CASE d.lane WHEN ${lanes.transactional} THEN $1::int ELSE $2::int END * interval '1 second' END
         WHERE ${isLeased} AND worker_id = ANY (ARRAY(
           SELECT h.worker_id FROM holder h WHERE NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = h.worker_id AND w.expires_at > now())
         ))
         RETURNING d.project_id, d.email_id, d.recipient, d.attempts, old.state = 'HANDOFF' AS was_begun
       )
       INSERT INTO email_events (project_id, email_id, id, status, recipient, detail, attempt, stage)
       SELECT project_id, email_id, uuidv7(), CASE WHEN was_begun THEN 'SENDING' ELSE 'PENDING' END, recipient,
         CASE WHEN was_begun THEN $3 ELSE $4 END, CASE WHEN was_begun THEN attempts + 1 END, CASE WHEN was_begun THEN 'unknown' END
       FROM taken RETURNING 1`,
      [seconds[lanes.transactional], seconds[lanes.bulk], diedInHandOff, diedBefore],
    );
    return rows.length;
  }

  async deleteExpired(): Promise<void> {
    await this.database.query(`DELETE FROM workers WHERE expires_at < now() - interval '1 hour'`);
  }

  /** Messages that stayed ambiguous for their whole grace period, with the policy of their lane. */
  async unresolved({ policies }: AmbiguousRules, limit: number): Promise<UnresolvedDelivery[]> {
    return this.database.query<UnresolvedDelivery>(
      `SELECT project_id AS "projectId", email_id AS "emailId", position, lease_token AS "leaseToken", recipient, trace, claims,
              resends, expires_at <= now() AS "windowIsOver", CASE lane WHEN ${lanes.transactional} THEN $1 ELSE $2 END AS policy
       FROM deliveries WHERE state = 'AMBIGUOUS' AND due_at <= now() ORDER BY due_at LIMIT $3`,
      [policies[lanes.transactional], policies[lanes.bulk], limit],
    );
  }

  async claimedTooOften(limit: number): Promise<DeliveryWithResends[]> {
    return this.database.query<DeliveryWithResends>(
      `SELECT project_id AS "projectId", email_id AS "emailId", position, lease_token AS "leaseToken", recipient, trace, claims, resends
       FROM deliveries WHERE state = 'QUEUED' AND claims >= ${maxClaims} LIMIT $1`,
      [limit],
    );
  }
}

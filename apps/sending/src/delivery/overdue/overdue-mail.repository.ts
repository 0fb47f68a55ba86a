import type { HeldMailOfProject } from '@posthorn/contracts';
import { currentDatabaseIdentity, type Database } from '@posthorn/database';
import type { AmbiguousRules, UnfinishedDelivery } from '../claiming/leases.repository.js';
import { lanes } from '../delivery-states.js';

export interface Gap {
  /** Seconds since a worker last used this database. */
  seconds: number;
  /** `installation.database_identity` names another database: this one was restored from a dump of it. */
  restored: boolean;
}

export type HeldDelivery = Omit<UnfinishedDelivery, 'claims'>;

const key = `project_id, email_id, position`;
const checkLock = 7_301_006;
/** Mail that became due in the last minute is not overdue: it may have been accepted after the outage. */
const overdue = `interval '1 minute'`;
const isChosen = `($1::uuid IS NULL OR project_id = $1)`;

export class OverdueMailRepository {
  constructor(private readonly database: Database) {}

  /** Returns the gap after which mail must be held, or null; then the database counts as in use. Replicas that begin together wait for each other. */
  async findGap(limitSeconds: number, holdSome: (gap: Gap) => Promise<boolean>): Promise<Gap | null> {
    return this.database.transaction(async () => {
      await this.database.query(`SELECT pg_advisory_xact_lock($1)`, [checkLock]);
      // Set once, so that mail which is accepted while many batches are held is not overdue.
      const [gap] = await this.database.query<Gap>(
        `UPDATE installation SET hold_before = coalesce(hold_before, now() - ${overdue})
         RETURNING extract(epoch FROM now() - alive_at)::float8 AS seconds, database_identity <> ${currentDatabaseIdentity} AS restored`,
      );
      const isLong = gap !== undefined && (gap.restored || gap.seconds > limitSeconds);
      if (!isLong || (await holdSome(gap))) {
        await this.database.query(
          `INSERT INTO installation (database_identity) SELECT ${currentDatabaseIdentity} ON CONFLICT (singleton) DO UPDATE
             SET database_identity = excluded.database_identity, alive_at = now(), hold_before = NULL`,
        );
        return null;
      }
      return gap;
    });
  }

  /** Workers of the original database are none of this copy. */
  async endWorkers(): Promise<void> {
    await this.database.query(`DELETE FROM workers`);
  }

  /** What was in hand-off may have left, so it is held whenever it is due. */
  async hold(limit: number): Promise<number> {
    const rows = await this.database.query(
      `WITH queued AS (
         SELECT ${key} FROM deliveries WHERE state = 'QUEUED' AND due_at < (SELECT hold_before FROM installation) LIMIT $1 FOR UPDATE
       ), interrupted AS (
         SELECT ${key} FROM deliveries WHERE state IN ('CLAIMED', 'HANDOFF')
           AND NOT EXISTS (SELECT FROM workers w WHERE w.id = worker_id AND w.expires_at > now()) LIMIT $1 FOR UPDATE
       ), unknown AS (
         SELECT ${key} FROM deliveries WHERE state = 'AMBIGUOUS' LIMIT $1 FOR UPDATE
       ), chosen AS (
         TABLE queued UNION ALL TABLE interrupted UNION ALL TABLE unknown
       )
       UPDATE deliveries d SET state = 'HELD', worker_id = NULL,
         resends = d.resends + CASE WHEN d.state IN ('HANDOFF', 'AMBIGUOUS') THEN 1 ELSE 0 END
       FROM chosen c WHERE d.project_id = c.project_id AND d.email_id = c.email_id AND d.position = c.position RETURNING 1`,
      [limit],
    );
    return rows.length;
  }

  async byProject(projectId: string | null): Promise<HeldMailOfProject[]> {
    return this.database.query<HeldMailOfProject>(
      `SELECT project_id AS "projectId", count(*)::int AS count, min(due_at) AS "oldestDueAt" FROM deliveries
       WHERE state = 'HELD' AND ${isChosen} GROUP BY project_id ORDER BY project_id LIMIT 1000`,
      [projectId],
    );
  }

  async count(projectId: string | null): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM deliveries WHERE state = 'HELD' AND ${isChosen} LIMIT 10000) AS held`,
      [projectId],
    );
    return row!.count;
  }

  async oldestDueAt(projectId: string | null): Promise<Date | null> {
    const [row] = await this.database.query<{ at: Date | null }>(
      `SELECT min(due_at) AS at FROM deliveries WHERE state = 'HELD' AND ${isChosen}`,
      [projectId],
    );
    return row!.at;
  }

  // Each message gets a new delivery window. What may have left already is sent once more at most, as the
  // policy of its lane says; the sweeper fails the others.
  async release(
    projectId: string | null,
    limit: number,
    policies: AmbiguousRules['policies'],
  ): Promise<number> {
    const rows = await this.database.query(
      `UPDATE deliveries d SET claims = 0,
         state = CASE WHEN d.resends > 1 OR (d.resends > 0 AND CASE d.lane WHEN ${lanes.transactional} THEN $3 ELSE $4 END = 'hold') THEN 'AMBIGUOUS' ELSE 'QUEUED' END,
         due_at = greatest(d.due_at, now()), expires_at = greatest(d.expires_at, now() + interval '24 hours')
       FROM (SELECT project_id, email_id, position FROM deliveries
             WHERE state = 'HELD' AND ${isChosen} ORDER BY project_id, due_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS chosen
       WHERE d.project_id = chosen.project_id AND d.email_id = chosen.email_id AND d.position = chosen.position RETURNING 1`,
      [projectId, limit, policies[lanes.transactional], policies[lanes.bulk]],
    );
    return rows.length;
  }

  async someHeld(projectId: string | null, limit: number): Promise<HeldDelivery[]> {
    return this.database.query<HeldDelivery>(
      `SELECT project_id AS "projectId", email_id AS "emailId", position, lease_token AS "leaseToken", recipient, trace FROM deliveries
       WHERE state = 'HELD' AND ${isChosen} ORDER BY project_id, due_at LIMIT $2`,
      [projectId, limit],
    );
  }
}

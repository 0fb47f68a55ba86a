import { noProject } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { isUniqueViolation } from '@posthorn/database';
import { claimedColumns, releasedColumns } from './claimed-columns.js';
import type { ClaimedItem } from './claimed-columns.js';
import type { WorkKind } from './work-kind.js';
import { isNotPaused } from './work-queue.js';

export interface Claim {
  kind: WorkKind;
  limit: number;
  worker: Worker;
  /** The round-robin starts after this project; null starts at the first, which is work above projects. */
  afterProject: string | null;
  /** Projects that are passed over. */
  without?: readonly string[];
}

export interface Worker {
  id: string;
  leaseMs: number;
}

export interface Claimed {
  items: ClaimedItem[];
  afterProject: string | null;
  /** Another process claimed from an exclusive project at the same instant; there may be more. */
  contended?: boolean;
}

const projectsInTurn = 50;
const absorbedAtOnce = 1_000;

/** The only claim statement beside the two of the e-mail queue. */
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  /** An even share for each project, by a skip scan. Raises the lease token, which fences earlier holders. */
  async claim(claim: Claim): Promise<Claimed> {
    let turnedOver = claim.afterProject === null;
    for (let { afterProject } = claim; ;) {
      const claimed = await this.claimAfter({ ...claim, afterProject });
      const isLast = claimed.afterProject === null;
      if (claimed.items.length > 0 || claimed.contended || (isLast && turnedOver)) return claimed;
      turnedOver ||= isLast;
      ({ afterProject } = claimed);
    }
  }

  private async claimAfter({ kind, limit, worker, afterProject, without = [] }: Claim): Promise<Claimed> {
    const parameters = [
      kind.name,
      afterProject,
      limit,
      worker.id,
      worker.leaseMs,
      kind.exclusive,
      kind.signal,
      kind.spread,
      [...without],
    ];
    try {
      const rows = await this.database.prepared<ClaimedRow>({
        name: afterProject === null ? 'claim work' : 'claim work after',
        sql: afterProject === null ? claimFirstSql : claimAfterSql,
        parameters,
        skipsCommitListeners: true,
      });
      const items = rows.flatMap(({ next: _, ...item }) => (item.id === null ? [] : [item as ClaimedItem]));
      return { items, afterProject: rows[0]?.next ?? null };
    } catch (error) {
      if (isUniqueViolation(error)) return { items: [], afterProject, contended: true };
      throw error;
    }
  }

  async claimSuspect(
    kinds: readonly string[],
    worker: Worker,
  ): Promise<(ClaimedItem & { kind: string }) | null> {
    const [item] = await this.database.query<ClaimedItem & { kind: string }>(
      `WITH taken AS (
         SELECT id FROM work_items WHERE state = 'SUSPECT' AND kind = ANY($1) ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
       ), ${ownLease('$2', '$3')}
       UPDATE work_items w SET state = 'CLAIMED', worker_id = $2, lease_token = lease_token + 1, claims = claims + 1
       FROM taken, lease WHERE w.id = taken.id RETURNING ${claimedColumns}, w.kind`,
      [kinds, worker.id, worker.leaseMs],
    );
    return item ?? null;
  }

  async releaseUnknown(workerId: string, known: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE work_items w SET ${releasedColumns(`'READY'`)} WHERE state = 'CLAIMED' AND worker_id = $1 AND id <> ALL ($2::uuid[])`,
      [workerId, known],
    );
  }

  async renew({ id, leaseMs }: Worker): Promise<boolean> {
    const rows = await this.database.query(`WITH ${ownLease('$1', '$2')} SELECT id FROM lease`, [
      id,
      leaseMs,
    ]);
    return rows.length > 0;
  }

  /** While items are still claimed the lease has to expire, which returns them. */
  async endLease(workerId: string): Promise<void> {
    await this.database.query(`DELETE FROM work_workers w WHERE id = $1 AND ${holdsNothing}`, [workerId]);
  }
}

type ClaimedRow = (ClaimedItem | { id: null }) & { next: string | null };

export const holdsNothing = `NOT EXISTS (SELECT FROM work_items i WHERE i.state = 'CLAIMED' AND i.worker_id = w.id)`;

const ownLease = (worker: string, leaseMs: string): string => `lease AS (
  INSERT INTO work_workers (id, expires_at) VALUES (${worker}, now() + ${leaseMs} * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE work_workers.expires_at > now() RETURNING id
)`;

/** No more projects than items are wanted, except that some may be busy or passed over. */
const inTurn = `CASE WHEN $6 OR $8 OR cardinality($9::uuid[]) > 0 THEN ${projectsInTurn} ELSE least($3, ${projectsInTurn}) END`;

/** Passed over where another process holds its first item: the second must not overtake it. */
const firstOfProject = `
      SELECT f.id AS head_id FROM work_items f
      WHERE $6 AND f.state = 'READY' AND f.kind = $1 AND f.project_id = free.project_id AND ${isNotPaused('f')}
      ORDER BY f.priority, f.due_at, f.id LIMIT 1`;

/** By ctid, which saves an index lookup; an item enqueued again right now is left for the next claim. */
const claimSql = (begins: string): string => `
  WITH RECURSIVE turn AS (
    (SELECT project_id, 1 AS n FROM work_items WHERE state = 'READY' AND kind = $1 AND ${begins} ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT following.project_id, turn.n + 1 FROM turn, LATERAL (
      SELECT project_id FROM work_items WHERE state = 'READY' AND kind = $1 AND project_id > turn.project_id ORDER BY project_id LIMIT 1
    ) AS following WHERE turn.n < ${inTurn}
  ), free AS (
    SELECT project_id FROM turn WHERE NOT ($6 AND EXISTS (
      SELECT FROM work_items c WHERE c.kind = $1 AND c.project_id = turn.project_id AND c.state IN ('CLAIMED', 'SUSPECT') AND c.exclusive))
    AND NOT ($8 AND EXISTS (
      SELECT FROM work_items c WHERE c.kind = $1 AND c.project_id = turn.project_id AND c.state = 'CLAIMED'))
    AND project_id <> ALL ($9::uuid[])
  ), share AS (
    SELECT CASE WHEN $6 OR $7 OR $8 THEN 1 ELSE ceil($3::numeric / greatest(count(*), 1))::int END AS size FROM free
  ), ready AS (
    SELECT row_location, id, project_id, row_number() OVER (PARTITION BY project_id ORDER BY priority, due_at, id) AS rank
    FROM free LEFT JOIN LATERAL (${firstOfProject}) AS head ON true, LATERAL (
      SELECT r.ctid AS row_location, r.id, r.priority, r.due_at FROM work_items r
      WHERE r.state = 'READY' AND r.kind = $1 AND r.project_id = free.project_id AND ${isNotPaused('r')} AND (NOT $6 OR r.id = head.head_id)
      ORDER BY r.priority, r.due_at, r.id LIMIT (SELECT size FROM share) FOR UPDATE OF r SKIP LOCKED
    ) AS first
  ), taken AS (
    SELECT row_location, id, project_id FROM ready ORDER BY rank, project_id LIMIT $3
  ), absorbed AS (
    DELETE FROM work_items WHERE $7 AND id = ANY(ARRAY(
      SELECT other.id FROM taken, LATERAL (
        SELECT o.id FROM work_items o WHERE o.state = 'READY' AND o.kind = $1 AND o.project_id = taken.project_id AND o.id <> taken.id AND o.key IS NULL
        ORDER BY o.priority, o.due_at, o.id LIMIT ${absorbedAtOnce} FOR UPDATE OF o SKIP LOCKED
      ) AS other WHERE $7))
  ), ${ownLease('$4', '$5')}, claimed AS (
    UPDATE work_items w SET state = 'CLAIMED', worker_id = $4, lease_token = lease_token + 1, claims = claims + 1
    FROM taken, lease WHERE w.ctid = taken.row_location RETURNING ${claimedColumns}
  ), next AS (
    SELECT coalesce(
      CASE WHEN $3 < (SELECT count(*) FROM free) THEN (SELECT project_id FROM taken ORDER BY project_id DESC LIMIT 1) END,
      CASE WHEN n = ${inTurn} THEN project_id END
    ) AS next FROM turn ORDER BY n DESC LIMIT 1
  )
  SELECT claimed.*, next.next FROM next LEFT JOIN claimed ON true`;

/** Two statements, because a combined condition would read the index from its beginning. */
const claimFirstSql = claimSql(`project_id >= coalesce($2::uuid, '${noProject}')`);
const claimAfterSql = claimSql(`project_id > $2::uuid`);

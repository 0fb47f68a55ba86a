import type { Database } from '@posthorn/database';
import { SpanAfterwards, type Tracing } from '@posthorn/telemetry';
import { storedMessageColumns, type StoredMessage } from '../../composing/stored-message.js';
import { deliveryWindowHours, lanes, maxClaims, type Lane } from '../delivery-states.js';
import type { UnfinishedDelivery } from './leases.repository.js';
import { largeMessage, type FreeBytes } from './bytes-in-memory.js';

export interface ClaimedDelivery extends StoredMessage {
  position: number;
  recipient: string;
  lane: Lane;
  attempts: number;
  resends: number;
  leaseToken: number;
  /** Consecutive claims, this one included, whose outcome no process has recorded. */
  claims: number;
  /** Milliseconds since its delivery window began: when it was first due, released after an outage, or due again after it was kept back; measured by Postgres. */
  windowAgeMs: number;
  /** Milliseconds since it was accepted, or since its scheduled time; measured by Postgres. */
  ageMs: number;
  /** An allowance, a warm-up, quiet hours or a paused campaign kept it back before. */
  waitsForNextPeriod: boolean;
  windowIsOver: boolean;
  bytes: number;
  trace: string | null;
}

interface ClaimOptions {
  workerId: string;
  lane: Lane;
  limit: number;
  afterProject: string;
  freeBytes: FreeBytes;
  excludedProjects?: readonly string[];
}

export interface SuspectOptions {
  workerId: string;
  freeBytes: FreeBytes;
  limit: number;
  /** This process works on no other suspect. */
  alone: boolean;
}

const maxProjectsInTurn = 100;
const minShare = 20;
const largestInteger = 2_147_483_647;

export class ClaimsRepository {
  readonly tracing: Tracing;

  constructor(private readonly database: Database) {
    this.tracing = database.tracing;
  }

  // Each project has an even share (at least 20): a skip scan over the partial index finds those
  // with due messages. Every claim raises the lease token, which invalidates writes of earlier holders.
  @SpanAfterwards('claim')
  async claim({
    workerId,
    lane,
    limit,
    afterProject,
    freeBytes,
    excludedProjects = [],
  }: ClaimOptions): Promise<ClaimedDelivery[]> {
    const parameters = [
      lane,
      afterProject,
      limit,
      workerId,
      freeBytes.small,
      excludedProjects,
      freeBytes.large,
      freeBytes.anySizeFits,
    ];
    return this.database.prepared<ClaimedDelivery>({
      name: 'claim',
      sql: claimSql,
      parameters,
      skipsCommitListeners: true,
    });
  }

  /** No delivery is queued, claimed, in hand-off or ambiguous, so nothing can become due. */
  async isIdle(): Promise<boolean> {
    const [row] = await this.database.prepared<{ isIdle: boolean }>({
      name: 'deliveries idle',
      sql: isIdleSql,
      parameters: [],
      skipsCommitListeners: true,
    });
    return row!.isIdle;
  }

  /** Up to the limit of those whose process ended once, claimed together; or else one of the others, where it may be claimed alone. */
  @SpanAfterwards('claim suspects')
  async claimSuspects({ workerId, freeBytes, limit, alone }: SuspectOptions): Promise<ClaimedDelivery[]> {
    return this.database.prepared<ClaimedDelivery>({
      name: 'claim-suspects',
      sql: claimSuspectsSql,
      parameters: [workerId, freeBytes.large, freeBytes.anySizeFits, limit, alone],
      skipsCommitListeners: true,
    });
  }

  /** Messages of disabled projects that are past their delivery window, which no worker claims. */
  async disabledPastWindow(limit: number): Promise<UnfinishedDelivery[]> {
    return this.database.query<UnfinishedDelivery>(
      `SELECT d.* FROM project_states s CROSS JOIN (VALUES (${lanes.transactional}), (${lanes.bulk})) AS l (lane), LATERAL (
         SELECT project_id AS "projectId", email_id AS "emailId", position, lease_token AS "leaseToken", recipient, trace, claims FROM deliveries
         WHERE state = 'QUEUED' AND lane = l.lane AND project_id = s.project_id AND due_at <= now() - interval '${deliveryWindowHours} hours'
         ORDER BY due_at LIMIT $1
       ) AS d WHERE s.disabled LIMIT $1`,
      [limit],
    );
  }

  // The claim no longer counts, because this process lives. Nor does the claim of messages that were returned
  // to the queue when the lease ended in an outage (QUEUED under the same token).
  async unclaim(
    workerId: string,
    delayMs: number,
    messages: Pick<ClaimedDelivery, 'emailId' | 'projectId' | 'position' | 'leaseToken'>[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE deliveries d SET state = 'QUEUED', worker_id = NULL, claims = 0, due_at = greatest(d.due_at, now() + $2 * interval '1 millisecond')
       FROM unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::bigint[]) AS r (project_id, email_id, position, lease_token)
       WHERE d.project_id = r.project_id AND d.email_id = r.email_id AND d.position = r.position AND d.lease_token = r.lease_token
         AND (d.state = 'CLAIMED' AND d.worker_id = $1 OR d.state = 'QUEUED' AND d.claims > 0)`,
      [
        workerId,
        delayMs,
        messages.map(({ projectId }) => projectId),
        messages.map(({ emailId }) => emailId),
        messages.map(({ position }) => position),
        messages.map(({ leaseToken }) => leaseToken),
      ],
    );
  }
}

/** Ordered like the index: a cached plan from a time when the table was full may scan all of it. */
const isIdleSql = `
  SELECT coalesce(
    (SELECT false FROM deliveries WHERE state = 'QUEUED' ORDER BY lane, project_id, due_at LIMIT 1),
    (SELECT false FROM deliveries WHERE state IN ('CLAIMED', 'HANDOFF') ORDER BY worker_id LIMIT 1),
    (SELECT false FROM deliveries WHERE state = 'AMBIGUOUS' ORDER BY due_at LIMIT 1),
    true) AS "isIdle"`;

/** Part of the index condition, so that an excluded project costs one step of the index scan. */
const isDueAndNotExcluded = `due_at <= now() AND project_id <> ALL ($6::uuid[])`;

/** Mail of a disabled project stays where it is, so that it takes no claim from others. */
const isClaimable = `${isDueAndNotExcluded} AND NOT EXISTS (SELECT FROM project_states s WHERE s.project_id = deliveries.project_id AND s.disabled)`;

// A single upper bound, which the index can apply; with an OR every row would be read.
const fits = (large: string, anySizeFits: string): string =>
  `bytes <= CASE WHEN ${anySizeFits} THEN ${largestInteger} ELSE greatest(${largeMessage}, ${large}) END`;

const claimedColumns = `
  SELECT c.project_id AS "projectId", c.email_id AS "emailId", c.position, c.recipient, c.lane, c.attempts, c.resends, c.lease_token AS "leaseToken", c.claims, c.bytes,
         extract(epoch FROM now() - c.expires_at + interval '${deliveryWindowHours} hours')::float8 * 1000 AS "windowAgeMs",
         extract(epoch FROM now() - coalesce(e.scheduled_at, e.created_at))::float8 * 1000 AS "ageMs", c.waits_for_next_period AS "waitsForNextPeriod", c.expires_at <= now() AS "windowIsOver",
         ${storedMessageColumns}, content.id IS NULL AS "contentIsMissing", c.trace, c.variables
  FROM claimed c
  JOIN emails e ON e.project_id = c.project_id AND e.id = c.email_id
  LEFT JOIN email_contents content ON content.project_id = c.project_id AND content.id = e.content_id`;

const isSuspect = `state = 'QUEUED' AND claims > 0 AND claims < ${maxClaims} AND due_at <= now() AND ${fits('$2', '$3')}`;
const mayShareClaim = `(claims = 1 AND bytes <= ${largeMessage})`;

const claimSuspectsSql = `
  WITH next AS (
    SELECT lane, ${mayShareClaim} AS shares_claim FROM deliveries WHERE ${isSuspect} AND (${mayShareClaim} OR $5)
    ORDER BY lane, ${mayShareClaim} DESC, due_at LIMIT 1
  ), suspect AS (
    SELECT project_id, email_id, position FROM deliveries JOIN next ON deliveries.lane = next.lane AND ${mayShareClaim} = next.shares_claim
    WHERE ${isSuspect} ORDER BY due_at LIMIT (SELECT CASE WHEN shares_claim THEN $4::int ELSE 1 END FROM next) FOR UPDATE OF deliveries SKIP LOCKED
  ), claimed AS (
    UPDATE deliveries d SET state = 'CLAIMED', worker_id = $1, lease_token = d.lease_token + 1, claims = d.claims + 1
    FROM suspect s WHERE d.project_id = s.project_id AND d.email_id = s.email_id AND d.position = s.position
    RETURNING d.*
  ) ${claimedColumns}`;

const claimSql = `
  WITH RECURSIVE project AS (
    (SELECT project_id, ${isClaimable} AS is_claimable, (${isClaimable})::int AS due_project_count FROM deliveries
     WHERE state = 'QUEUED' AND lane = $1 AND project_id > $2 ORDER BY project_id, due_at LIMIT 1)
    UNION ALL
    -- Projects with scheduled messages only do not count.
    SELECT following.project_id, following.is_claimable, project.due_project_count + following.is_claimable::int FROM project, LATERAL (
      SELECT project_id, ${isClaimable} AS is_claimable FROM deliveries
      WHERE state = 'QUEUED' AND lane = $1 AND project_id > project.project_id ORDER BY project_id, due_at LIMIT 1
    ) AS following WHERE project.due_project_count < ${maxProjectsInTurn}
  ), share AS (
    SELECT greatest(${minShare}, $3 / greatest(count(*), 1)) AS size FROM project WHERE is_claimable
  ), due AS (
    SELECT taken.*, bytes > ${largeMessage} AS is_large, row_number() OVER () AS rank FROM project, LATERAL (
      SELECT project_id, email_id, position, bytes FROM deliveries
      WHERE state = 'QUEUED' AND lane = $1 AND project_id = project.project_id AND due_at <= now()
        -- Messages whose last claimer died are claimed apart.
        AND claims = 0 AND ${fits('$7', '$8')}
      ORDER BY due_at LIMIT (SELECT size FROM share) FOR UPDATE SKIP LOCKED
    ) AS taken WHERE project.is_claimable LIMIT $3
  ), bounded AS (
    SELECT * FROM (SELECT due.*, sum(bytes) OVER (PARTITION BY is_large ORDER BY rank) AS running_bytes FROM due) AS summed
    WHERE CASE WHEN is_large THEN running_bytes <= $7 OR ($8 AND running_bytes = bytes) ELSE running_bytes - bytes < $5 END
  ), claimed AS (
    UPDATE deliveries d SET state = 'CLAIMED', worker_id = $4, lease_token = d.lease_token + 1, claims = d.claims + 1
    FROM bounded b WHERE d.project_id = b.project_id AND d.email_id = b.email_id AND d.position = b.position
    RETURNING d.*
  ) ${claimedColumns}`;

export const beforeAllProjects = '00000000-0000-0000-0000-000000000000';

export class ProjectRotation {
  private readonly cursor: Record<Lane, string> = { 0: beforeAllProjects, 1: beforeAllProjects };

  constructor(private readonly claims: ClaimsRepository) {}

  async claim(options: Omit<ClaimOptions, 'afterProject'>): Promise<ClaimedDelivery[]> {
    const { lane, limit } = options;
    const afterProject = this.cursor[lane];
    let messages = await this.claims.claim({ ...options, afterProject });
    if (messages.length === 0 && afterProject !== beforeAllProjects)
      messages = await this.claims.claim({ ...options, afterProject: beforeAllProjects });
    // Rows come in no order.
    const last = messages
      .map(({ projectId }) => projectId)
      .reduce((a, b) => (a > b ? a : b), beforeAllProjects);
    this.cursor[lane] = messages.length < limit ? beforeAllProjects : last;
    return messages;
  }
}

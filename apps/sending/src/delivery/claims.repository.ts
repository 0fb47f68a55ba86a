import type { Mailbox } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { SpannedFind, type Tracing } from '@posthorn/telemetry';
import type { Lane } from './delivery.entity.js';

/** A message that this worker holds, with all that it takes to build it. */
export interface ClaimedMessage {
  projectId: string;
  emailId: string;
  position: number;
  recipient: string;
  lane: Lane;
  attempts: number;
  leaseToken: number;
  /** Milliseconds since acceptance, by Postgres. */
  waitedMs: number;
  expired: boolean;
  bytes: number;
  from: Mailbox;
  to: Mailbox;
  subject: string;
  html: string;
  text: string | null;
  replyTo: Mailbox | null;
  headers: Record<string, string> | null;
  createdAt: Date;
  /** Where its way is recorded; null where it is not. */
  trace: string | null;
}

interface ClaimOptions {
  workerId: string;
  lane: Lane;
  limit: number;
  /** The turn begins behind this project. */
  afterProject: string;
}

const maxProjectsInTurn = 100;
const minTurn = 20;
/** Contents that one claim brings into memory; one message alone may be larger. */
const maxClaimBytes = 32 * 1024 * 1024;

export class ClaimsRepository {
  readonly tracing: Tracing;

  constructor(private readonly database: Database) {
    this.tracing = database.tracing;
  }

  /**
   * Claims due messages, in turns between projects: the skip scan over the partial index finds the projects that have
   * any, each gets an even share (at least 20). The claim raises the token, so what an earlier holder writes is void.
   */
  @SpannedFind('claim')
  async claim({ workerId, lane, limit, afterProject }: ClaimOptions): Promise<ClaimedMessage[]> {
    const parameters = [lane, afterProject, limit, workerId, maxClaimBytes];
    return this.database.prepared<ClaimedMessage>({ name: 'claim', sql: claimSql, parameters });
  }

  /** Gives back what was claimed and not handed over. */
  async release(workerId: string, delayMs: number, messages: Pick<ClaimedMessage, 'emailId' | 'projectId'>[]): Promise<void> {
    await this.database.query(
      `UPDATE deliveries d SET state = 'QUEUED', worker_id = NULL, due_at = greatest(d.due_at, now() + $2 * interval '1 millisecond')
       FROM unnest($3::uuid[], $4::uuid[]) AS r (project_id, email_id)
       WHERE d.project_id = r.project_id AND d.email_id = r.email_id AND d.state = 'CLAIMED' AND d.worker_id = $1`,
      [workerId, delayMs, messages.map(({ projectId }) => projectId), messages.map(({ emailId }) => emailId)],
    );
  }
}

const claimSql = `
  WITH RECURSIVE turn AS (
    (SELECT project_id, 1 AS n FROM deliveries WHERE state = 'QUEUED' AND lane = $1 AND project_id > $2 ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT following.project_id, turn.n + 1 FROM turn, LATERAL (
      SELECT project_id FROM deliveries WHERE state = 'QUEUED' AND lane = $1 AND project_id > turn.project_id ORDER BY project_id LIMIT 1
    ) AS following WHERE turn.n < ${maxProjectsInTurn}
  ), share AS (
    SELECT greatest(${minTurn}, $3 / greatest(count(*), 1)) AS size FROM turn
  ), due AS (
    SELECT taken.* FROM turn, LATERAL (
      SELECT project_id, email_id, position, bytes FROM deliveries
      WHERE state = 'QUEUED' AND lane = $1 AND project_id = turn.project_id AND due_at <= now()
      ORDER BY due_at LIMIT (SELECT size FROM share) FOR UPDATE SKIP LOCKED
    ) AS taken LIMIT $3
  ), bounded AS (
    SELECT * FROM (SELECT due.*, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS before FROM due) AS summed WHERE before < $5
  ), claimed AS (
    UPDATE deliveries d SET state = 'CLAIMED', worker_id = $4, lease_token = d.lease_token + 1
    FROM bounded b WHERE d.project_id = b.project_id AND d.email_id = b.email_id AND d.position = b.position
    RETURNING d.*
  )
  SELECT c.project_id AS "projectId", c.email_id AS "emailId", c.position, c.recipient, c.lane, c.attempts, c.lease_token AS "leaseToken", c.bytes,
         extract(epoch FROM now() - e.created_at)::float8 * 1000 AS "waitedMs", c.expires_at <= now() AS expired,
         json_build_object('email', e.from_email, 'name', e.from_name) AS "from", json_build_object('email', e.to_email, 'name', e.to_name) AS "to",
         e.subject, e.created_at AS "createdAt", c.trace, k.html, k.text, k.reply_to AS "replyTo", k.headers
  FROM claimed c
  JOIN emails e ON e.project_id = c.project_id AND e.id = c.email_id
  JOIN email_contents k ON k.project_id = c.project_id AND k.id = e.content_id`;

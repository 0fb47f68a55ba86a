import { erasedAddress, type AudienceMember, type CampaignMailRecipient } from '@posthorn/contracts';
import { columnsOf, newId, type Database } from '@posthorn/database';
import type { LaunchRow } from '../launching/launch.entity.js';
import { reportBits } from '../results/report.js';
import type { RecipientTime } from '../timing/recipient-times.js';

export interface NewRecipient extends Omit<AudienceMember, 'timeZone' | 'optedIn'>, RecipientTime {
  skipReason: 'excluded' | 'unsubscribed' | 'topic' | null;
  variant: number | null;
  waitsForWinner: boolean;
}

export interface QueuedRecipient extends CampaignMailRecipient {
  variant: number | null;
  timeZone?: string | null;
}

const newRows = columnsOf<NewRecipient>([
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'email_id', type: 'uuid', value: () => newId() },
  { column: 'email', type: 'text', value: ({ email }) => email },
  { column: 'reason', type: 'text', value: ({ skipReason }) => skipReason },
  { column: 'variant', type: 'smallint', value: ({ variant }) => variant },
  { column: 'waits_for_winner', type: 'boolean', value: ({ waitsForWinner }) => waitsForWinner },
  { column: 'due_at', type: 'timestamptz', value: ({ dueAt }) => dueAt },
  { column: 'time_zone', type: 'text', value: ({ timeZone }) => timeZone },
]);

type Campaign = Pick<LaunchRow, 'projectId' | 'campaignId'>;

/** Every method that changes rows also changes the counts of their campaign. */
export class RecipientsRepository {
  constructor(private readonly database: Database) {}

  /** A contact that has a row keeps it. */
  async add({ projectId, campaignId }: Campaign, rows: readonly NewRecipient[]): Promise<void> {
    await this.database.prepared({
      name: 'add-recipients',
      sql: addSql,
      parameters: [projectId, campaignId, ...newRows.values(rows)],
    });
  }

  /** The next ones for sending; those who wait for a winner only where there is one. */
  queued(
    { projectId, campaignId, winner }: Campaign & Pick<LaunchRow, 'winner'>,
    limit: number,
  ): Promise<QueuedRecipient[]> {
    return this.database.query(
      `SELECT email_id AS id, contact_id AS "contactId", email, coalesce(variant, $4) AS variant FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'QUEUED' AND NOT handed_over AND waits_for_winner <= $5
       ORDER BY waits_for_winner, email_id LIMIT $3`,
      [projectId, campaignId, limit, winner, winner !== null],
    );
  }

  /** As `queued`, of a campaign with a timing: those due until an instant, the earliest first. */
  async due(
    { projectId, campaignId, winner }: Campaign & Pick<LaunchRow, 'winner'>,
    { until, limit }: { until: Date; limit: number },
  ): Promise<QueuedRecipient[]> {
    const found: QueuedRecipient[] = [];
    for (const waitsForWinner of winner === null ? [false] : [false, true])
      found.push(
        ...(await this.database.query<QueuedRecipient>(
          `SELECT email_id AS id, contact_id AS "contactId", email, coalesce(variant, $4) AS variant, due_at AS "dueAt", time_zone AS "timeZone" FROM recipients
           WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'QUEUED' AND NOT handed_over AND waits_for_winner = $5 AND due_at <= $6
           ORDER BY due_at, email_id LIMIT $3`,
          [projectId, campaignId, limit - found.length, winner, waitsForWinner, until],
        )),
      );
    return found;
  }

  async putOff(
    { projectId, campaignId }: Campaign,
    rows: readonly { id: string; dueAt: Date }[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE recipients r SET due_at = later.due_at
       FROM (SELECT $1::uuid AS project_id, $2::uuid AS campaign_id, * FROM unnest($3::uuid[], $4::timestamptz[]) AS given (email_id, due_at) OFFSET 0) AS later
       WHERE r.project_id = later.project_id AND r.campaign_id = later.campaign_id AND r.email_id = later.email_id AND r.outcome = 'QUEUED' AND NOT r.handed_over`,
      [projectId, campaignId, rows.map(({ id }) => id), rows.map(({ dueAt }) => dueAt)],
    );
  }

  /** Before they are handed over, so that what is reported of them counts for the variant. */
  async assign(
    { projectId, campaignId }: Campaign,
    emailIds: readonly string[],
    variant: number,
  ): Promise<void> {
    await this.database.query(
      `WITH held AS (
         SELECT ${key} FROM ${ofEmails} WHERE r.variant IS NULL ORDER BY r.email_id FOR UPDATE OF r
       )
       UPDATE recipients r SET variant = $4 FROM held WHERE ${isHeld}`,
      [projectId, campaignId, emailIds, variant],
    );
  }

  inHand(
    { projectId, campaignId }: Campaign,
    { after = null, limit }: { after?: string | null; limit: number },
  ): Promise<QueuedRecipient[]> {
    return this.database.query(
      `SELECT email_id AS id, contact_id AS "contactId", email, variant FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'QUEUED' AND handed_over AND ($3::uuid IS NULL OR email_id > $3)
       ORDER BY email_id LIMIT $4`,
      [projectId, campaignId, after, limit],
    );
  }

  /** Who was erased meanwhile, or left the topic. */
  async skip(
    { projectId, campaignId }: Campaign,
    emailIds: readonly string[],
    reason: 'invalid_recipient' | 'topic',
  ): Promise<void> {
    await this.database.query(
      `WITH held AS (
         SELECT ${key} FROM ${ofEmails} WHERE r.outcome = 'QUEUED' ORDER BY r.email_id FOR UPDATE OF r
       ), changed AS (
         UPDATE recipients r SET outcome = 'SKIPPED', reason = $4, at = now(), email = CASE WHEN $4 = 'invalid_recipient' THEN '${erasedAddress}' ELSE r.email END
         FROM held WHERE ${isHeld}
         RETURNING old.handed_over
       )
       UPDATE campaign_counts SET skipped = skipped + (SELECT count(*) FROM changed), in_hand = in_hand - (SELECT count(*) FROM changed WHERE handed_over)
       WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId, emailIds, reason],
    );
  }

  /** Some of them may have an outcome by now. */
  async handedOver({ projectId, campaignId }: Campaign, emailIds: readonly string[]): Promise<void> {
    await this.database.query(
      `WITH held AS (
         SELECT ${key} FROM ${ofEmails} ORDER BY r.email_id FOR UPDATE OF r
       ), changed AS (
         UPDATE recipients r SET handed_over = true FROM held
         WHERE ${isHeld} AND NOT r.handed_over
         RETURNING r.outcome = 'QUEUED' AS is_queued, r.variant
       ), by_variant AS (
         INSERT INTO variant_counts AS known (project_id, campaign_id, variant, recipients, sent, opened, clicked)
         SELECT $1::uuid, $2::uuid, variant, count(*), 0, 0, 0 FROM changed WHERE variant IS NOT NULL GROUP BY variant ORDER BY variant
         ON CONFLICT (project_id, campaign_id, variant) DO UPDATE SET recipients = known.recipients + excluded.recipients
       )
       UPDATE campaign_counts SET in_hand = in_hand + (SELECT count(*) FROM changed WHERE is_queued) WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId, emailIds],
    );
  }

  async skipRest({ projectId, campaignId }: Campaign, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `WITH held AS (
         SELECT ${key} FROM recipients r WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'QUEUED' AND NOT handed_over
         ORDER BY waits_for_winner, email_id LIMIT $3 FOR UPDATE
       ), changed AS (
         UPDATE recipients r SET outcome = 'SKIPPED', reason = 'cancelled', at = now() FROM held
         WHERE ${isHeld}
         RETURNING 1
       ), counted AS (
         UPDATE campaign_counts SET skipped = skipped + (SELECT count(*) FROM changed) WHERE project_id = $1 AND campaign_id = $2
       )
       SELECT count(*)::int AS count FROM changed`,
      [projectId, campaignId, limit],
    );
    return row!.count;
  }

  /** Of an erased contact, in every campaign; no page of an audience is added meanwhile. Who is not handed over yet gets nothing any more. */
  async erase(projectId: string, contactId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO erased_contacts (project_id, contact_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [projectId, contactId],
    );
    await this.database.query(
      `WITH held AS (
         SELECT r.campaign_id FROM campaign_counts c JOIN recipients r USING (project_id, campaign_id)
         WHERE c.project_id = $1 AND r.contact_id = $2 AND r.email <> $3 ORDER BY r.campaign_id FOR UPDATE OF r
       ), changed AS (
         UPDATE recipients r SET email = $3,
           outcome = CASE WHEN r.outcome = 'QUEUED' AND NOT r.handed_over THEN 'SKIPPED' ELSE r.outcome END,
           reason = CASE WHEN r.outcome = 'QUEUED' AND NOT r.handed_over THEN 'invalid_recipient' ELSE r.reason END,
           at = CASE WHEN r.outcome = 'QUEUED' AND NOT r.handed_over THEN now() ELSE r.at END
         FROM held WHERE r.project_id = $1 AND r.campaign_id = held.campaign_id AND r.contact_id = $2
         RETURNING r.campaign_id, old.outcome <> r.outcome AS was_skipped
       )
       UPDATE campaign_counts c SET skipped = c.skipped + 1 FROM changed
       WHERE c.project_id = $1 AND c.campaign_id = changed.campaign_id AND changed.was_skipped`,
      [projectId, contactId, erasedAddress],
    );
  }

  async failed(
    { projectId, campaignId }: Campaign,
    includeUnconfirmed: boolean,
  ): Promise<Retry & { count: number }> {
    const [row] = await this.database.query<{ upTo: string; count: number }>(
      `SELECT uuidv7() AS "upTo", count(*)::int AS count FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND ${isRetried}`,
      [projectId, campaignId, includeUnconfirmed, lastId],
    );
    return { includeUnconfirmed, ...row! };
  }

  /** Rows that failed become queued again, each with a new e-mail. Returns how many. */
  async retryFailed(
    { projectId, campaignId }: Campaign,
    { includeUnconfirmed, upTo, limit }: Retry & { limit: number },
  ): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `WITH held AS (
         SELECT ${key} FROM recipients r WHERE project_id = $1 AND campaign_id = $2 AND ${isRetried}
         ORDER BY email_id LIMIT $5 FOR UPDATE
       ), changed AS (
         UPDATE recipients r SET outcome = 'QUEUED', reason = NULL, at = NULL, handed_over = false, reported_bits = 0, email_id = uuidv7() FROM held
         WHERE ${isHeld}
         RETURNING old.reported_bits & ${reportBits.bounced} <> 0 AS was_bounced, CASE WHEN old.handed_over THEN r.variant END AS variant
       ), by_variant AS (
         -- They count again when they are handed over again.
         UPDATE variant_counts v SET recipients = v.recipients - again.count
         FROM (SELECT variant, count(*) AS count FROM changed WHERE variant IS NOT NULL GROUP BY variant) AS again
         WHERE v.project_id = $1 AND v.campaign_id = $2 AND v.variant = again.variant
       ), counted AS (
         UPDATE campaign_counts SET failed = failed - (SELECT count(*) FROM changed), bounced = bounced - (SELECT count(*) FROM changed WHERE was_bounced)
         WHERE project_id = $1 AND campaign_id = $2
       )
       SELECT count(*)::int AS count FROM changed`,
      [projectId, campaignId, includeUnconfirmed, upTo, limit],
    );
    return row!.count;
  }
}

export interface Retry {
  /** Also what may have arrived. */
  includeUnconfirmed: boolean;
  /** The last e-mail that may be tried again: those that take its place have later ids. */
  upTo: string;
}

// Joined and not compared with parameters: by statistics that do not know the campaign yet, Postgres would
// expect few rows of it, and read it from end to end for each row.
const ofEmails = `(SELECT $1::uuid AS project_id, $2::uuid AS campaign_id, email_id FROM unnest($3::uuid[]) AS email_id OFFSET 0) AS given
  JOIN recipients r USING (project_id, campaign_id, email_id)`;
const key = `r.project_id, r.campaign_id, r.contact_id`;
const isHeld = `r.project_id = held.project_id AND r.campaign_id = held.campaign_id AND r.contact_id = held.contact_id`;

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** For `$3` and `$4`. What was reported to have arrived is not sent again, nor what belonged to somebody who was erased. */
const isRetried = `outcome = 'FAILED' AND ($3 OR reason <> 'delivery_unconfirmed') AND email_id <= $4 AND reported_bits & ~${reportBits.bounced} = 0
  AND email <> '${erasedAddress}'`;

const addSql = `
  WITH given AS (
    SELECT * FROM ${newRows.unnest('g', 3)}
  ), added AS (
    INSERT INTO recipients (project_id, campaign_id, contact_id, email_id, email, variant, waits_for_winner, due_at, time_zone, outcome, reason, at)
    SELECT $1::uuid, $2::uuid, contact_id, email_id, email, variant, waits_for_winner, due_at, time_zone, CASE WHEN reason IS NULL THEN 'QUEUED' ELSE 'SKIPPED' END, reason, CASE WHEN reason IS NOT NULL THEN now() END
    FROM given WHERE NOT EXISTS (SELECT FROM erased_contacts e WHERE e.project_id = $1 AND e.contact_id = given.contact_id) ORDER BY contact_id
    ON CONFLICT DO NOTHING
    RETURNING outcome
  )
  UPDATE campaign_counts SET total = total + (SELECT count(*) FROM added), skipped = skipped + (SELECT count(*) FROM added WHERE outcome = 'SKIPPED')
  WHERE project_id = $1 AND campaign_id = $2`;

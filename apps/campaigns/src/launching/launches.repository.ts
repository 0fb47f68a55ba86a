import type { WinnerDecision } from '@posthorn/contracts';
import { currentDatabaseIdentity, type Database } from '@posthorn/database';
import type { LaunchRow } from './launch.entity.js';

const columns = `project_id AS "projectId", campaign_id AS "campaignId", content_id AS "contentId", variant_contents AS "variantContents", winner, decided_by AS "decidedBy", subject, from_email AS "from", tracks_opens AS "tracksOpens", launched_at AS "launchedAt", frozen_to AS "frozenTo",
  is_frozen AS "isFrozen", next_due_at AS "nextDueAt", archive_id AS "archiveId", moved_at AS "movedAt", database_identity AS "databaseIdentity", database_identity <> ${currentDatabaseIdentity} AS "isCopy"`;

export type LaunchedContent = Pick<
  LaunchRow,
  'contentId' | 'subject' | 'from' | 'variantContents' | 'tracksOpens'
>;

export class LaunchesRepository {
  constructor(private readonly database: Database) {}

  async add(
    projectId: string,
    campaignId: string,
    { contentId, subject, from, variantContents, tracksOpens }: LaunchedContent,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO launches (project_id, campaign_id, content_id, subject, from_email, variant_contents, tracks_opens, database_identity)
       VALUES ($1, $2, $3, $4, $5, $6, $7, ${currentDatabaseIdentity})`,
      [projectId, campaignId, contentId, subject, from, variantContents, tracksOpens],
    );
    await this.database.query(`INSERT INTO campaign_counts (project_id, campaign_id) VALUES ($1, $2)`, [
      projectId,
      campaignId,
    ]);
  }

  async find(projectId: string, campaignId: string): Promise<LaunchRow | null> {
    const [row] = await this.database.query<LaunchRow>(
      `SELECT ${columns} FROM launches WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId],
    );
    return row ?? null;
  }

  async frozenTo(
    { projectId, campaignId }: LaunchRow,
    contactId: string | null,
    isFrozen: boolean,
  ): Promise<void> {
    await this.database.query(
      `UPDATE launches SET frozen_to = coalesce($3, frozen_to), is_frozen = $4 WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId, contactId, isFrozen],
    );
  }

  async moved({ projectId, campaignId }: LaunchRow, nextDueAt: Date | null): Promise<void> {
    await this.database.query(
      `UPDATE launches SET moved_at = now(), next_due_at = $3 WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId, nextDueAt],
    );
  }

  async decide(
    projectId: string,
    campaignId: string,
    { variant, decidedBy }: { variant: number; decidedBy: WinnerDecision },
  ): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE launches SET winner = $3, decided_by = $4
       WHERE project_id = $1 AND campaign_id = $2 AND winner IS NULL AND variant_contents <> '{}' RETURNING 1`,
      [projectId, campaignId, variant, decidedBy],
    );
    return rows.length > 0;
  }

  /** Returns the id under which it is public, which may be an earlier one; null where it was never launched. */
  async publish(projectId: string, campaignId: string, archiveId: string): Promise<string | null> {
    const [row] = await this.database.query<{ archiveId: string }>(
      `UPDATE launches SET archive_id = coalesce(archive_id, $3) WHERE project_id = $1 AND campaign_id = $2 RETURNING archive_id AS "archiveId"`,
      [projectId, campaignId, archiveId],
    );
    return row?.archiveId ?? null;
  }

  async withdraw(projectId: string, campaignId: string): Promise<void> {
    await this.database.query(
      `UPDATE launches SET archive_id = NULL WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId],
    );
  }

  async archived(projectId: string, archiveId: string): Promise<LaunchRow | null> {
    const [row] = await this.database.query<LaunchRow>(
      `SELECT ${columns} FROM launches WHERE project_id = $1 AND archive_id = $2`,
      [projectId, archiveId],
    );
    return row ?? null;
  }

  async revive(projectId: string, campaignId: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE launches SET moved_at = clock_timestamp(), database_identity = ${currentDatabaseIdentity} WHERE project_id = $1 AND campaign_id = $2 RETURNING 1`,
      [projectId, campaignId],
    );
    return rows.length > 0;
  }

  /** Until the end of the transaction no page of its audience is added. */
  async lockFrozen(projectId: string): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM launches WHERE project_id = $1 AND NOT is_frozen ORDER BY campaign_id FOR UPDATE`,
      [projectId],
    );
  }

  async lock({ projectId, campaignId }: LaunchRow): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM launches WHERE project_id = $1 AND campaign_id = $2 FOR UPDATE`,
      [projectId, campaignId],
    );
  }

  /** More rows of the ledger are to be queued: it is not over before that. */
  async reopen(projectId: string, campaignId: string): Promise<void> {
    await this.database.query(
      `UPDATE launches SET is_frozen = false, moved_at = clock_timestamp(), database_identity = ${currentDatabaseIdentity} WHERE project_id = $1 AND campaign_id = $2`,
      [projectId, campaignId],
    );
  }

  /** For `campaignMail.setState`. It rises also where the transaction is rolled back, because sending may have been told already. */
  async nextStateSeq(): Promise<number> {
    const [row] = await this.database.query<{ seq: number }>(
      `SELECT nextval('campaign_mail_states')::int8 AS seq`,
    );
    return Number(row!.seq);
  }
}

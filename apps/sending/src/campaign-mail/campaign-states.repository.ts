import type { CampaignMailState, SetCampaignMailState } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { addressLockKeySql } from '../suppressions/suppressions.repository.js';

/** Marks hold it shared like the lock of an address: a state that is committed under it is seen by every mark that begins later. */
export const campaignLockName = (campaignId: string): string => `campaign ${campaignId}`;

export class CampaignStates {
  constructor(private readonly database: Database) {}

  /** Waits for the marks that may not see it. Returns the state that holds afterwards. */
  put(projectId: string, { campaignId, state, seq }: SetCampaignMailState): Promise<CampaignMailState> {
    return this.database.transaction(async () => {
      await this.database.query(
        `SELECT pg_advisory_xact_lock(${addressLockKeySql}) FROM (SELECT $1::uuid AS project_id, $2::text AS email) AS lock`,
        [projectId, campaignLockName(campaignId)],
      );
      const [row] = await this.database.query<{ state: CampaignMailState }>(
        `INSERT INTO campaign_states AS known (project_id, campaign_id, state, seq) VALUES ($1, $2, $3, $4)
         ON CONFLICT (project_id, campaign_id) DO UPDATE
           SET state = CASE WHEN excluded.seq > known.seq THEN excluded.state ELSE known.state END,
               seq = greatest(known.seq, excluded.seq), updated_at = now()
         RETURNING state`,
        [projectId, campaignId, state, seq],
      );
      return row!.state;
    });
  }
}

import type { Records } from '../../judging/records.js';
import type { CampaignMail, EndedCampaign, HandOff, LedgerRow } from './campaign-evidence.js';
import type { Tenant } from '../tenant.js';

const pageSize = 100;

/** The mail server sees a message when it is there, and not when its hand-off began: that is written down with the mark, by the database. */
const noteHandOffs = `
  CREATE TABLE chaos_hand_offs (email_id uuid NOT NULL, at timestamptz NOT NULL);
  CREATE FUNCTION chaos_note_hand_off() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO chaos_hand_offs VALUES (NEW.email_id, clock_timestamp());
      RETURN NULL;
    END $$;
  CREATE TRIGGER chaos_hand_offs AFTER UPDATE OF state ON deliveries FOR EACH ROW
    WHEN (NEW.state = 'HANDOFF' AND OLD.state <> 'HANDOFF') EXECUTE FUNCTION chaos_note_hand_off()`;

const mailsSql = `
  SELECT id, campaign_id AS "campaignId", status, coalesce(error LIKE 'The message was given up: %', false) AS "isGivenUp"
  FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`;

export async function writeDownHandOffs(records: Records): Promise<void> {
  await records.query('sending', noteHandOffs);
}

export const handOffsOf = (records: Records): Promise<HandOff[]> =>
  records.query(
    'sending',
    `SELECT email_id AS "emailId", extract(epoch FROM at)::float8 * 1000 AS at FROM chaos_hand_offs`,
  );

export const mailsOf = ({ records, projectId }: Tenant): Promise<CampaignMail[]> =>
  records.query('sending', mailsSql, [projectId]);

/** As a client sees it after the run. */
export async function endedCampaign(
  tenant: Tenant,
  { id, isCompared }: Pick<EndedCampaign, 'id' | 'isCompared'>,
): Promise<EndedCampaign & { sentAt: number }> {
  const path = `/api/v1/campaigns/${id}`;
  const campaign = await tenant.surely('GET', path);
  return {
    ...{ id, isCompared, name: campaign['name'] as string, status: campaign['status'] as string },
    pausedReason: campaign['paused_reason'] as string | null,
    sentAt: campaign['sent_at'] ? Date.parse(campaign['sent_at'] as string) : Date.now(),
    stats: await tenant.surely('GET', `${path}/stats`),
    rows: await ledgerOf(tenant, path),
  };
}

interface ShownRow extends Pick<LedgerRow, 'email' | 'outcome' | 'reason' | 'variant'> {
  email_id: string | null;
}

async function ledgerOf(tenant: Tenant, path: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  let after = '';
  do {
    const page = await tenant.surely('GET', `${path}/recipients?limit=${pageSize}${after}`);
    for (const { email_id: emailId, email, outcome, reason, variant } of page['data'] as ShownRow[])
      rows.push({ email, outcome, reason, emailId, variant });
    after = page['next_cursor'] ? `&after=${page['next_cursor'] as string}` : '';
  } while (after !== '');
  return rows;
}

import type { Database } from '@posthorn/database';

/** The sums of a campaign that are kept, and what its rows give. */
export async function sumsOf(
  database: Database,
  campaignId: string,
): Promise<{ kept: object | undefined; counted: object | undefined }> {
  const [kept] = await database.query(
    `SELECT total, in_hand, sent, skipped, failed, delivered FROM campaign_counts WHERE campaign_id = $1`,
    [campaignId],
  );
  const [counted] = await database.query(
    `SELECT count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'QUEUED' AND handed_over))::int AS in_hand,
       (count(*) FILTER (WHERE outcome = 'SENT'))::int AS sent, (count(*) FILTER (WHERE outcome = 'SKIPPED'))::int AS skipped,
       (count(*) FILTER (WHERE outcome = 'FAILED'))::int AS failed, (count(*) FILTER (WHERE reported_bits & 1 <> 0))::int AS delivered
     FROM recipients WHERE campaign_id = $1`,
    [campaignId],
  );
  return { kept, counted };
}

import { randomUUID } from 'node:crypto';
import { campaignMail } from '@posthorn/contracts';
import type pg from 'pg';
import type { Audience } from '../campaigns/audiences.js';
import { databaseOf, inDatabase, withoutIndexes } from '../databases.js';
import type { Servers } from '../product.js';
import { asOperator } from '../sending/project.js';

/** Campaigns that were sent or are about to be, each with its ledger. */
export interface StoredLedgers {
  /** Paused, with every outcome. */
  mixed: string;
  /** Nobody has his mail but a few; half were skipped. */
  begun: string;
  /** Nearly everybody has his mail. */
  sent: string;
  /** A skipped recipient of the mixed one. */
  skippedContact: string;
}

const ownCampaigns = 2_000;
const otherProjects = 20;
const campaignsOfEach = 900;
const tables = ['campaigns', 'launches', 'recipients', 'campaign_counts'];
/** The ledgers beside the large one are so much smaller. */
export const fractionOfOthers = 4;

const outcomes = {
  mixed: `CASE WHEN n % 100 < 85 THEN 'SENT' WHEN n % 100 < 90 THEN 'SKIPPED' WHEN n % 100 < 95 THEN 'FAILED' ELSE 'QUEUED' END`,
  begun: `CASE WHEN n <= 10 THEN 'SENT' WHEN n % 2 = 0 THEN 'SKIPPED' ELSE 'QUEUED' END`,
  sent: `CASE WHEN n % 1000 = 0 THEN 'FAILED' ELSE 'SENT' END`,
};
const reason = `CASE outcome WHEN 'SKIPPED' THEN CASE WHEN n % 10000 IN (85, 86) THEN 'excluded' ELSE 'unsubscribed' END
  WHEN 'FAILED' THEN CASE WHEN n % 10000 = 90 THEN 'rendering' ELSE 'hard_bounce' END END`;

/** A million rows of the project in one ledger, smaller ledgers of it and of a foreign project, and thousands of campaigns. */
export async function storeLedgers(
  servers: Servers,
  { api, contacts, template }: Audience,
): Promise<StoredLedgers> {
  const [mixed, begun, sent, foreign] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const foreignProject = randomUUID();
  const few = Math.floor(contacts / fractionOfOthers);
  const contents = await prepare(servers, api.projectId, template, [mixed, begun, sent]);
  return inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), async (client) => {
    await client.query(`SET maintenance_work_mem = '512MB'`);
    await withoutIndexes(client, tables, async () => {
      await client.query(manyCampaignsSql(ownCampaigns), [api.projectId, template]);
      for (let project = 0; project < otherProjects; project += 1)
        await client.query(manyCampaignsSql(campaignsOfEach), [randomUUID(), template]);
      const campaigns = [
        [api.projectId, mixed, 'PAUSED', outcomes.mixed, contacts],
        [api.projectId, begun, 'PAUSED', outcomes.begun, few],
        [api.projectId, sent, 'SENT', outcomes.sent, few],
        [foreignProject, foreign, 'SENT', outcomes.sent, few],
      ] as const;
      for (const [project, id, status, outcome, count] of campaigns) {
        await client.query(campaignSql, [project, id, status]);
        await client.query(launchSql, [project, id, contents.get(id) ?? randomUUID()]);
        await client.query(recipientsSql(outcome), [project, id, count]);
      }
      await client.query(sumsSql);
    });
    await client.query(
      `INSERT INTO project_counts (project_id, counted, total) SELECT project_id, 'campaigns', count(*) FROM campaigns GROUP BY 1
       ON CONFLICT (project_id, counted) DO UPDATE SET total = excluded.total`,
    );
    await client.query('CHECKPOINT');
    return { mixed, begun, sent, skippedContact: await skippedOf(client, api.projectId, mixed) };
  });
}

/** As in the first minutes of the first large campaign. */
export async function forgetStatistics(client: pg.Client): Promise<void> {
  await client.query(`ALTER TABLE recipients SET (autovacuum_enabled = false)`);
  await client.query(
    `SELECT pg_clear_relation_stats('public', 'recipients'), (SELECT count(pg_clear_attribute_stats('public', 'recipients', attname, false)) FROM pg_attribute
       WHERE attrelid = 'recipients'::regclass AND attnum > 0)`,
  );
}

/** What the mail of the stored campaigns is made of, so that they can go on. */
const prepare = (
  { natsUrl }: Servers,
  projectId: string,
  templateId: string,
  campaigns: readonly string[],
): Promise<Map<string, string>> =>
  asOperator(natsUrl, projectId, async (bus, caller) => {
    const contents = new Map<string, string>();
    for (const campaignId of campaigns) {
      const content = {
        subject: null,
        body: null,
        from: null,
        fromName: null,
        replyTo: null,
        campaignId,
        contentId: randomUUID(),
        templateId,
        category: 'MARKETING' as const,
      };
      await bus.call(campaignMail.prepare, caller, content, { timeoutMs: 20_000 });
      contents.set(campaignId, content.contentId);
    }
    return contents;
  });

/** Nine in ten were sent; the others are drafts. */
const manyCampaignsSql = (count: number): string =>
  `WITH added AS (
     INSERT INTO campaigns (project_id, id, name, email_category, audience_type, template_id, body, status, sent_at, created_at, updated_at)
     SELECT $1::uuid, uuidv7(-(n || ' hours')::interval), 'Campaign ' || n, 'MARKETING', 'ALL', $2::uuid, repeat('Words. ', 50), status,
       CASE WHEN status = 'SENT' THEN at END, at, at
     FROM (SELECT n, now() - n * interval '1 hour' AS at, CASE WHEN n % 10 = 0 THEN 'DRAFT' ELSE 'SENT' END AS status FROM generate_series(1, ${count}) AS n) AS made
     RETURNING project_id, id, status
   ), launched AS (
     INSERT INTO launches (project_id, campaign_id, content_id, subject, from_email, is_frozen)
     SELECT project_id, id, gen_random_uuid(), 'Subject', 'news@plans.example', true FROM added WHERE status = 'SENT'
   )
   INSERT INTO campaign_counts (project_id, campaign_id, total, sent, delivered, opened) SELECT project_id, id, 100, 100, 100, 40 FROM added WHERE status = 'SENT'`;

const campaignSql = `INSERT INTO campaigns (project_id, id, name, email_category, audience_type, subject, body, status, sent_at)
  VALUES ($1, $2, 'With a ledger', 'MARKETING', 'ALL', 'Subject', 'Words.', $3::text, CASE WHEN $3 = 'SENT' THEN now() END)`;

const launchSql = `INSERT INTO launches (project_id, campaign_id, content_id, subject, from_email, is_frozen) VALUES ($1, $2, $3, 'Subject', 'news@plans.example', true)`;

const recipientsSql = (outcome: string): string =>
  `INSERT INTO recipients (project_id, campaign_id, contact_id, email_id, email, outcome, reason, handed_over, reported_bits, at)
   SELECT $1::uuid, $2::uuid, uuidv7(), uuidv7(), 'reader-' || n || '@bench.test', outcome, ${reason},
     outcome IN ('SENT', 'FAILED') OR outcome = 'QUEUED' AND n % 100 = 99, CASE WHEN outcome = 'SENT' THEN 1 ELSE 0 END, CASE WHEN outcome <> 'QUEUED' THEN now() END
   FROM (SELECT n, ${outcome} AS outcome FROM generate_series(1, $3::int) AS n) AS made`;

const sumsSql = `INSERT INTO campaign_counts (project_id, campaign_id, total, in_hand, sent, skipped, failed, delivered)
  SELECT project_id, campaign_id, count(*), count(*) FILTER (WHERE outcome = 'QUEUED' AND handed_over), count(*) FILTER (WHERE outcome = 'SENT'),
    count(*) FILTER (WHERE outcome = 'SKIPPED'), count(*) FILTER (WHERE outcome = 'FAILED'), count(*) FILTER (WHERE reported_bits & 1 <> 0)
  FROM recipients GROUP BY 1, 2`;

async function skippedOf(client: pg.Client, projectId: string, campaignId: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT contact_id AS id FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND outcome = 'SKIPPED' LIMIT 1`,
    [projectId, campaignId],
  );
  return rows[0]!.id;
}

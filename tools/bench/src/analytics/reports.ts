import { emailGroups } from '@posthorn/contracts';
import { makeSendingProject } from '@posthorn/testing';
import type pg from 'pg';
import { nth, type Bench } from '../bench.js';
import { databaseOf, inDatabase, withoutIndexes } from '../databases.js';
import { benchLimit, Product } from '../product.js';

const days = 400;
const hours = 30 * 24;
const warmUp = 10;

interface Report {
  name: string;
  path: string;
  kind: string;
  hourly: boolean;
  owner: string;
}

/** Reports of a project with ten million mails in 400 days, beside a statement by hand over the same counters. */
export async function benchReports({ servers, scale, rows }: Bench): Promise<void> {
  await Product.during(servers, {}, async (product) => {
    const { projectId, token } = await makeSendingProject(servers.natsUrl, 'reports', benchLimit);
    await inDatabase(databaseOf(servers.databaseUrl, 'analytics'), async (client) => {
      const campaign = await countTenMillion(client, projectId);
      const before = await sequentialScans(client);
      for (const report of reportsOf(campaign)) {
        const [ours, theirs]: [number[], number[]] = [[], []];
        // In turns, so that both meet the same moments.
        for (let index = 0; index < scale.requests + warmUp; index += 1) {
          const [through, by] = [
            await timed(() => read(`${product.url}${report.path}`, token)),
            await timed(() => byHand(client, projectId, report)),
          ];
          if (index < warmUp) continue;
          ours.push(through);
          theirs.push(by);
        }
        const [p95, p95ByHand] = [nth(ours, 0.95), nth(theirs, 0.95)];
        rows.push({
          name: `analytics: report by ${report.name}, p95 ms`,
          product: p95,
          reference: p95ByHand,
          ceilingTimes: 2,
        });
      }
      rows.push({
        name: 'analytics: sequential scans of the counters by reports',
        product: (await sequentialScans(client)) - before,
        ceiling: 0,
      });
    });
  });
}

function reportsOf(campaign: string): Report[] {
  const to = new Date().toISOString().slice(0, 10);
  const from = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const base = '/api/v1/analytics/emails';
  return emailGroups.map((group) => {
    const hourly = group === 'hour';
    const kind = group === 'day' || hourly ? 'all' : group;
    const ofCampaign = group === 'link' ? `&campaign_id=${campaign}` : '';
    const path = `${base}?group_by=${group}&from=${from(hourly ? 29 : days - 1)}&to=${to}${ofCampaign}`;
    return { name: group, path, kind, hourly, owner: ofCampaign ? campaign : '' };
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function read(url: string, token: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.json();
}

const sums = ['sent', 'delivered', 'bounced', 'complained', 'opened', 'clicked', 'opens', 'clicks']
  .map((measure) => `sum(${measure})::bigint AS ${measure}`)
  .join(', ');

async function byHand(
  client: pg.Client,
  projectId: string,
  { kind, hourly, owner, name }: Report,
): Promise<void> {
  const byTime = name === 'day' || name === 'hour';
  const grouped = byTime ? 'at' : 'key';
  await client.query(
    `SELECT ${grouped}, ${sums} FROM mail_counts
     WHERE project_id = $1 AND hourly = $2 AND kind = $3 AND owner = $4 AND at >= now() - $5 * interval '1 hour'
     GROUP BY ${grouped} ORDER BY ${byTime ? grouped : 'sent DESC'} LIMIT ${byTime ? 1_000 : 100}`,
    [projectId, hourly, kind, owner, hourly ? hours : days * 24],
  );
}

/** Rows for each day and hour: 25,000 mails a day, of which a campaign has 5,000. Returns a campaign with links. */
async function countTenMillion(client: pg.Client, projectId: string): Promise<string> {
  const campaign = '00000000-0000-8000-8000-000000000001';
  await withoutIndexes(client, ['mail_counts'], async () => {
    for (const [hourly, steps, step] of [
      [false, days, '1 day'],
      [true, hours, '1 hour'],
    ] as const)
      await client.query(
        `INSERT INTO mail_counts (project_id, hourly, kind, owner, at, key, accepted, sent, delivered, bounced, opened, clicked, opens, clicks)
         SELECT $1, $2, k.kind, k.owner, date_trunc($6, now(), 'UTC') - t.n * $4::interval, k.key, c, c, c - c / 50, c / 50, c / 3, c / 20, c / 2, c / 15
         FROM generate_series(0, $3 - 1) AS t (n)
         CROSS JOIN LATERAL (
           SELECT 'all' AS kind, '' AS owner, '' AS key
           UNION ALL SELECT 'category', '', unnest(ARRAY['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW'])
           UNION ALL SELECT 'destination', '', unnest(ARRAY['gmail', 'outlook', 'yahoo', 'icloud', 'other'])
           UNION ALL SELECT 'domain', '', 'shop-' || n || '.example' FROM generate_series(1, 5) AS n
           UNION ALL SELECT 'template', '', ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0')) FROM generate_series(1, 100) AS n
           UNION ALL SELECT 'workflow', '', ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0')) FROM generate_series(1, 20) AS n
           UNION ALL SELECT 'campaign', '', ('00000000-0000-8000-8000-' || lpad((t.n / 2 + n)::text, 12, '0')) FROM generate_series(1, 10) AS n
           UNION ALL SELECT 'link', $5, 'https://shop.example/' || n FROM generate_series(1, 200) AS n WHERE NOT $2 AND t.n < 30
         ) AS k
         CROSS JOIN LATERAL (SELECT CASE WHEN k.kind = 'all' THEN 25000 ELSE 500 END AS c) AS counted`,
        [projectId, hourly, steps, step, campaign, hourly ? 'hour' : 'day'],
      );
  });
  return campaign;
}

/** A report that reads the whole table would be fast enough only here. */
async function sequentialScans(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ scans: number }>(
    `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'mail_counts'`,
  );
  return rows[0]!.scans;
}

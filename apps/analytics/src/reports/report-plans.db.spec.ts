import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@posthorn/database';
import { MailCountsRepository, type CountRange } from '../mail-counts/mail-counts.repository.js';
import { startAnalyticsSuite, type AnalyticsSuite } from '../testing/analytics-suite.js';

const to = new Date();
const from = new Date(to.getTime() - 90 * 86_400_000);
const id = '019b0000-0000-7000-8000-000000000001';

/** Runs each query as it is explained. */
class Explained {
  readonly plans: string[] = [];

  constructor(private readonly database: Database) {}

  async query(sql: string, parameters: unknown[]): Promise<object[]> {
    const rows = await this.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
    this.plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return [{}];
  }
}

describe('the queries of reports', () => {
  let suite: AnalyticsSuite;
  let projectId: string;
  beforeAll(async () => {
    suite = await startAnalyticsSuite();
    ({ projectId } = suite.buildProject());
    await suite.database.query(
      `INSERT INTO mail_counts (project_id, hourly, kind, owner, at, key, sent)
       SELECT CASE WHEN p = 0 THEN $1 ELSE gen_random_uuid() END, hourly, kind, '', date_trunc('day', now(), 'UTC') - make_interval(days => d), k::text, 1
       FROM generate_series(0, 9) AS p, unnest(ARRAY['all', 'campaign', 'domain', 'destination']) AS kind, unnest(ARRAY[false, true]) AS hourly, generate_series(0, 99) AS d, generate_series(1, 20) AS k
       ON CONFLICT DO NOTHING`,
      [projectId],
    );
    await suite.database.query(`ANALYZE mail_counts`);
  });
  afterAll(() => suite.stop());

  const ranges: [string, CountRange][] = [
    ['days', { hourly: false, kind: 'all', from, to }],
    ['hours', { hourly: true, kind: 'all', from, to }],
    ['days of a campaign', { hourly: false, kind: 'campaign', key: id, from, to }],
    [
      'destinations of a domain',
      { hourly: false, kind: 'domain_destination', owner: 'example.test', from, to },
    ],
    ['links of a campaign', { hourly: false, kind: 'link', owner: id, from: new Date(0), to }],
  ];

  it.each(ranges)('read one range of an index: %s', async (_, range) => {
    const explained = new Explained(suite.database);
    const counts = new MailCountsRepository(explained as unknown as Database);
    await counts.byTime(projectId, range);
    await counts.byKey(projectId, range, 100);
    await counts.total(projectId, range);
    expect(explained.plans).toHaveLength(3);
    for (const plan of explained.plans) {
      expect(plan).not.toMatch(/Seq Scan on (?:mail_counts|counted_keys)\b/);
      expect(plan).toMatch(/mail_counts_pkey/);
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Database } from '@posthorn/database';
import { startAnalyticsSuite, type AnalyticsSuite } from '../testing/analytics-suite.js';
import { OldCounts } from './old-counts.repository.js';

describe('counters of mail', () => {
  let suite: AnalyticsSuite;
  let database: Database;
  beforeAll(async () => {
    suite = await startAnalyticsSuite();
    ({ database } = suite);
  });
  afterAll(() => suite.stop());

  const count = (projectId: string, hourly: boolean, kind: string, owner: string, daysAgo: number) =>
    database.query(
      `INSERT INTO mail_counts (project_id, hourly, kind, owner, at, key, sent)
       VALUES ($1, $2, $3, $4, date_trunc('day', now(), 'UTC') - make_interval(days => $5), '', 1)`,
      [projectId, hourly, kind, owner, daysAgo],
    );
  const link = (projectId: string, owner: string, text: string) =>
    database.query(
      `INSERT INTO counted_keys (project_id, kind, owner, key, text) VALUES ($1, 'link', $2, md5($3), $3)`,
      [projectId, owner, text],
    );
  const linksOf = async (projectId: string) => {
    const rows = await database.query<{ text: string }>(
      `SELECT text FROM counted_keys WHERE project_id = $1 ORDER BY text`,
      [projectId],
    );
    return rows.map(({ text }) => text);
  };

  it('are kept for 30 days by hour and for 400 by day, links with their campaign', async () => {
    const { projectId } = suite.buildProject();
    const [live, gone] = [newId(), newId()];
    for (const daysAgo of [1, 29, 31]) await count(projectId, true, 'all', '', daysAgo);
    for (const daysAgo of [1, 399, 401]) await count(projectId, false, 'all', '', daysAgo);
    await count(projectId, false, 'link', live, 399);
    await count(projectId, false, 'link', gone, 401);
    await link(projectId, live, 'https://shop.example/live');
    await link(projectId, gone, 'https://shop.example/gone');
    const counts = new OldCounts(database);
    while (await counts.deleteSome(2));
    const rows = await database.query(
      `SELECT hourly, kind, count(*)::int AS rows FROM mail_counts WHERE project_id = $1 GROUP BY hourly, kind ORDER BY hourly, kind`,
      [projectId],
    );
    expect(rows).toEqual([
      { hourly: false, kind: 'all', rows: 2 },
      { hourly: false, kind: 'link', rows: 1 },
      { hourly: true, kind: 'all', rows: 2 },
    ]);
    expect(await linksOf(projectId)).toEqual(['https://shop.example/live']);
  });

  it('forget the address of an erased person in links', async () => {
    const { projectId } = suite.buildProject();
    for (const text of [
      'https://shop.example/?to=ada%40example.org&a=1',
      'https://shop.example/?to=bada@example.org',
    ]) {
      const owner = newId();
      // Without counts the service would take it for one of a campaign that is not kept any more.
      await count(projectId, false, 'link', owner, 1);
      await link(projectId, owner, text);
    }
    const counts = new OldCounts(database);
    expect(await counts.erase(projectId, 'ada@example.org', 100)).toBe(true);
    expect(await linksOf(projectId)).toEqual([
      'https://shop.example/?to=bada@example.org',
      'https://shop.example/?to=erased&a=1',
    ]);
  });
});

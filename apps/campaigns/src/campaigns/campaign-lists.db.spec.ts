import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaigns,
  type Caller,
  type Campaign,
  type CampaignPage,
  type ListCampaigns,
} from '@posthorn/contracts';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

describe('lists of campaigns', () => {
  let suite: CampaignsSuite;
  beforeAll(async () => {
    suite = await startCampaignsSuite();
  });
  afterAll(() => suite.stop());

  const create = (caller: Caller, name: string) =>
    suite.bus.call(campaigns.create, caller, { name, audienceType: 'ALL' });
  const list = (caller: Caller, query: ListCampaigns = {}) => suite.bus.call(campaigns.list, caller, query);

  async function pagesOf(caller: Caller, query: ListCampaigns): Promise<CampaignPage[]> {
    const pages = [await list(caller, query)];
    for (let last = pages[0]!; last.next; last = pages.at(-1)!)
      pages.push(await list(caller, { ...query, after: last.next }));
    return pages;
  }
  const idsOf = (items: Pick<Campaign, 'id'>[]) => items.map(({ id }) => id);

  it('show each campaign once, newest first, ties by id, with the exact total', async () => {
    const { caller, projectId } = suite.buildProject();
    await create(suite.buildProject().caller, 'Foreign');
    await Promise.all(Array.from({ length: 25 }, (_, index) => create(caller, `No ${index}`)));
    await suite.database.query(
      `UPDATE campaigns SET created_at = date_trunc('minute', created_at) WHERE project_id = $1`,
      [projectId],
    );
    const newest = await create(caller, 'Newest');
    const expected = await suite.database.query<{ id: string }>(
      `SELECT id FROM campaigns WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
      [projectId],
    );
    const pages = await pagesOf(caller, { limit: 7, withTotal: true });
    expect(idsOf(pages.flatMap(({ items }) => items))).toEqual(idsOf(expected));
    expect(pages.map(({ items, total, hasMore }) => [items.length, total, hasMore])).toEqual([
      [7, 26, true],
      [7, 26, true],
      [7, 26, true],
      [5, 26, false],
    ]);
    expect(pages[0]!.items[0]).toEqual(newest);
    expect((await list(caller)).items).toHaveLength(20);
    expect((await list(caller)).total).toBeUndefined();
  });

  it('stop at 4 MiB and report that there are more', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await Promise.all(Array.from({ length: 11 }, (_, index) => create(caller, `No ${index}`)));
    await suite.database.query(`UPDATE campaigns SET body = repeat('x', 1024 * 1024) WHERE project_id = $1`, [
      projectId,
    ]);
    const pages = await pagesOf(caller, { limit: 100 });
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 3, 2]);
    expect(new Set(idsOf(pages.flatMap(({ items }) => items)))).toEqual(new Set(idsOf(made)));
    expect(pages.flatMap(({ items }) => items).every(({ body }) => body?.length === 1024 * 1024)).toBe(true);
  });

  it('have totals that equal a recount after concurrent changes', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => create(caller, `No ${index}`)));
    await Promise.allSettled([
      ...made
        .slice(0, 10)
        .flatMap(({ id }) => [1, 2].map(() => suite.bus.call(campaigns.delete, caller, { id }))),
      ...made.slice(5, 15).map(({ id }) => suite.bus.call(campaigns.clone, caller, { id })),
      ...Array.from({ length: 10 }, (_, index) => create(caller, `Later ${index}`)),
    ]);
    const [recount] = await suite.database.query<{ count: number }>(
      `SELECT count(*) FROM campaigns WHERE project_id = $1`,
      [projectId],
    );
    expect(recount!.count).toBeGreaterThanOrEqual(25);
    expect((await list(caller, { withTotal: true })).total).toBe(recount!.count);
  });
});

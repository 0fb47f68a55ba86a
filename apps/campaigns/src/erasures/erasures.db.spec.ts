import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { campaigns, eraseIn, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

async function erase(caller: Caller, email: string): Promise<void> {
  const requested = { erasureId: newId(), contactId: newId(), erasedAt: new Date(), email };
  while (!(await suite.bus.call(eraseIn.campaigns, caller, requested)).done);
}

it('an erasure replaces the address in audience conditions and keeps senders', async () => {
  const { caller, projectId } = suite.buildProject();
  const from = { email: 'ann@example.test', name: 'Ann' };
  const { id } = await suite.bus.call(campaigns.create, caller, {
    name: 'News',
    subject: 'News',
    body: 'Hi',
    audienceType: 'ALL',
    from: from.email,
    emailCategory: 'MARKETING',
    idempotency: { key: 'news', operation: 'POST /campaigns', bodyHash: 'a'.repeat(64) },
  });
  const only = (value: string) => ({
    logic: 'OR',
    groups: [{ filters: [{ field: 'email', operator: 'equals', value }] }],
  });
  await suite.database.query(
    `UPDATE campaigns SET audience_type = 'FILTERED', audience_condition = $2 WHERE id = $1`,
    [id, JSON.stringify({ ...only('Ann@example.test'), also: only('joann@example.test') })],
  );
  await erase(caller, 'ann@example.test');
  const [row] = await suite.database.query(
    `SELECT audience_condition AS asks, from_email AS "from" FROM campaigns WHERE id = $1`,
    [id],
  );
  expect(row).toEqual({
    asks: { ...only('erased@erased.invalid'), also: only('joann@example.test') },
    from: 'ann@example.test',
  });
  const [stored] = await suite.database.query(
    `SELECT receipt::text AS receipt FROM idempotency_keys WHERE project_id = $1`,
    [projectId],
  );
  expect(stored!['receipt']).not.toContain('ann@example.test');
});

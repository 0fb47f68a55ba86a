import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaigns, templateUses } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

describe('a template', () => {
  it('is used by the campaigns of its project that may yet be sent', async () => {
    const { caller, projectId } = suite.buildProject();
    const templateId = newId();
    const used = async (asking = caller) => (await suite.bus.call(templateUses.campaigns, asking, { id: templateId })).used;
    expect(await used()).toBe(false);
    const { id } = await suite.bus.call(campaigns.create, caller, { name: 'Spring', audienceType: 'ALL' });
    // No campaign names a template before campaigns are sent.
    await suite.database.query(`UPDATE campaigns SET template_id = $3 WHERE project_id = $1 AND id = $2`, [projectId, id, templateId]);
    expect([await used(), await used(suite.buildProject().caller)]).toEqual([true, false]);
    for (const [status, expected] of [
      ['SCHEDULED', true],
      ['SENDING', true],
      ['PAUSED', true],
      ['SENT', false],
      ['CANCELLED', false],
    ] as const) {
      await suite.database.query(`UPDATE campaigns SET status = $3 WHERE project_id = $1 AND id = $2`, [projectId, id, status]);
      expect(await used()).toBe(expected);
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaigns, segmentUses, templateUses } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

describe('a template', () => {
  it('is in use by unsent campaigns of its project', async () => {
    const { caller, projectId } = suite.buildProject();
    const templateId = newId();
    const used = async (requesting = caller) =>
      (await suite.bus.call(templateUses.campaigns, requesting, { id: templateId })).used;
    expect(await used()).toBe(false);
    const { id } = await suite.bus.call(campaigns.create, caller, { name: 'Spring', audienceType: 'ALL' });
    // Campaigns cannot refer to a template through the API yet.
    await suite.database.query(`UPDATE campaigns SET template_id = $3 WHERE project_id = $1 AND id = $2`, [
      projectId,
      id,
      templateId,
    ]);
    expect([await used(), await used(suite.buildProject().caller)]).toEqual([true, false]);
    for (const [status, expected] of [
      ['SCHEDULED', true],
      ['SENDING', true],
      ['PAUSED', true],
      ['SENT', false],
      ['CANCELLED', false],
    ] as const) {
      await suite.database.query(`UPDATE campaigns SET status = $3 WHERE project_id = $1 AND id = $2`, [
        projectId,
        id,
        status,
      ]);
      expect(await used()).toBe(expected);
    }
  });
});

describe('a segment', () => {
  it('is in use by unsent campaigns that are sent to it or whose condition refers to it', async () => {
    const { caller, projectId } = suite.buildProject();
    const id = newId();
    const names = async (requesting = caller) =>
      (await suite.bus.call(segmentUses.campaigns, requesting, { id, slugs: ['pro'] })).names;
    const made = await Promise.all(
      ['By id', 'By condition', 'Sent', 'None'].map((name) =>
        suite.bus.call(campaigns.create, caller, { name, audienceType: 'ALL' }),
      ),
    );
    const set = (index: number, columns: string, value: unknown) =>
      suite.database.query(`UPDATE campaigns SET ${columns} WHERE project_id = $1 AND id = $2`, [
        projectId,
        made[index]!.id,
        value,
      ]);
    await set(0, 'segment_id = $3', id);
    await set(
      1,
      'audience_condition = $3',
      JSON.stringify({
        logic: 'AND',
        groups: [{ filters: [{ field: `segment.${id}`, operator: 'isMemberOf' }] }],
      }),
    );
    await set(2, `segment_id = $3, status = 'SENT'`, id);
    expect([await names(), await names(suite.buildProject().caller)]).toEqual([
      ['By condition', 'By id'],
      [],
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { all, SegmentsOf } from './testing/segments-suite.js';

describe('segments', () => {
  let suite: ContactsSuite;
  beforeAll(async () => {
    suite = await startContactsSuite();
  });
  afterAll(() => suite.stop());

  const open = (): SegmentsOf => {
    const { caller, projectId } = suite.buildProject();
    return new SegmentsOf(suite, caller, projectId);
  };

  it('are a thousand in a project at most', async () => {
    const mine = open();
    await suite.database.query(
      `INSERT INTO segments (project_id, id, name, slug, type, upkeep, cost_ms, track_membership)
       SELECT $1, uuidv7(), 'S' || n, 's' || n, 'STATIC', 'MANUAL', 0, false FROM generate_series(1, 999) AS n`,
      [mine.projectId],
    );
    await mine.build({ type: 'STATIC' });
    await expect(mine.build({ type: 'STATIC' })).rejects.toMatchObject({
      kind: 'conflict',
      message: 'A project may have at most 1000 segments',
    });
  });

  it('are refreshed at intervals where the conditions of all live ones are too large to evaluate for each change', async () => {
    const mine = open();
    const large = all(
      ...Array.from(
        { length: 90 },
        (_, index) => [`customFields.f${index}`, 'contains', 'x'.repeat(600)] as [string, string, string],
      ),
    );
    const upkeeps = [];
    for (let n = 0; n < 5; n += 1) upkeeps.push((await mine.build({ condition: large })).upkeep);
    expect(upkeeps).toEqual(['LIVE', 'LIVE', 'LIVE', 'LIVE', 'SCHEDULED']);
    expect((await mine.build()).upkeep).toBe('LIVE');
    await expect(mine.build({ condition: large, trackMembership: true })).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [expect.objectContaining({ path: ['trackMembership'] })] },
    });
  });
});

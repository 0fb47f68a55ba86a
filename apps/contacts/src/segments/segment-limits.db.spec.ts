import { describe, expect, it } from '@jest/globals';
import { segments } from '@posthorn/contracts';
import { all } from './testing/segments-suite.js';
import { withSegments } from './testing/with-segments.js';

const large = (filters: number) =>
  all(
    ...Array.from(
      { length: filters },
      (_, index) => [`customFields.f${index}`, 'contains', 'x'.repeat(600)] as [string, string, string],
    ),
  );

describe('segments', () => {
  const given = withSegments();

  it('are a thousand in a project at most', async () => {
    const mine = given.open();
    await given.suite.database.query(
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
    const mine = given.open();
    const upkeeps = [];
    for (let n = 0; n < 5; n += 1) upkeeps.push((await mine.build({ condition: large(90) })).upkeep);
    expect(upkeeps).toEqual(['LIVE', 'LIVE', 'LIVE', 'LIVE', 'SCHEDULED']);
    expect((await mine.build()).upkeep).toBe('LIVE');
    const preview = await given.suite.bus.call(segments.preview, mine.caller, { condition: large(90) });
    expect(preview.cost.upkeep).toBe('SCHEDULED');
    await expect(mine.build({ condition: large(90), trackMembership: true })).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [expect.objectContaining({ path: ['trackMembership'] })] },
    });
  });

  it('may become smaller, and stay live, where an earlier release let their conditions be too large together', async () => {
    const mine = given.open();
    const [tracked, other] = [await mine.build({ trackMembership: true }), await mine.build()];
    const enlarge = (id: string, length: number) =>
      given.suite.database.query(
        `UPDATE segments SET condition = jsonb_set(condition, '{groups,0,filters,0,value}', to_jsonb(repeat('x', $2))) WHERE id = $1`,
        [id, length],
      );
    await enlarge(tracked.id, 50_000);
    await enlarge(other.id, 260_000);
    const change = (count: number) =>
      given.suite.bus.call(segments.update, mine.caller, { id: tracked.id, condition: large(count) });
    const smaller = await change(60);
    expect([smaller.upkeep, smaller.trackMembership]).toEqual(['LIVE', true]);
    await expect(change(90)).rejects.toMatchObject({ kind: 'invalid' });
  });
});

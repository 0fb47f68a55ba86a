import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@posthorn/platform';
import { eventually, type ServiceFixture } from '@posthorn/testing';
import { startContacts } from '../../service.js';
import { openContactsFixture } from '../../testing/contacts-suite.js';
import { segmentRefreshWork } from '../segment-kinds.js';
import { plan, SegmentsOf } from '../testing/segments-suite.js';

describe('a scheduled refresh', () => {
  let fixture: ServiceFixture;
  let service: RunningService;
  beforeAll(async () => {
    fixture = await openContactsFixture();
    const environment = { ...fixture.environment, SEGMENT_REFRESH_SECONDS: '1' };
    service = await fixture.carry(startContacts({ environment, processMetrics: false }));
  });
  afterAll(async () => {
    await service.stop();
    await fixture.close();
  });

  it('is retried with a growing delay if it fails, without delaying others', async () => {
    const { caller, projectId } = fixture.buildProject();
    const mine = new SegmentsOf(fixture, caller, projectId);
    const [broken, whole] = [await mine.build(), await mine.build()];
    const change = (id: string, columns: string, ...values: unknown[]) =>
      fixture.database.query(`UPDATE segments SET ${columns} WHERE project_id = $1 AND id = $2`, [
        projectId,
        id,
        ...values,
      ]);
    const failuresOf = async (id: string) => {
      const [row] = await fixture.database.query(
        `SELECT failures, due_at > clock_timestamp() + interval '1 minute' AS waits FROM work_items WHERE project_id = $1 AND key = $2`,
        [projectId, id],
      );
      return row;
    };
    const due = (...ids: string[]) =>
      fixture.queue.enqueue(
        segmentRefreshWork,
        ids.map((key) => ({ projectId, key })),
      );
    // Without a mark, so that only a refresh finds it.
    await fixture.database.query(
      `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields) VALUES ($1, uuidv7(), 'a@example.org', true, '{"plan":"pro"}')`,
      [projectId],
    );
    const scheduled = `upkeep = 'SCHEDULED', refreshed_at = clock_timestamp() -`;
    await change(broken.id, `${scheduled} interval '2 days', condition = '{}'`);
    await change(whole.id, `${scheduled} interval '1 day'`);
    await due(broken.id, whole.id);
    await eventually(async () => (await mine.get(whole.id)).memberCount === 1, 'the other is counted');
    await eventually(async () => (await failuresOf(broken.id))!['failures'] === 1, 'it has failed');
    expect([await failuresOf(broken.id), await failuresOf(whole.id)]).toEqual([
      { failures: 1, waits: true },
      undefined,
    ]);
    await due(broken.id);
    await eventually(async () => (await failuresOf(broken.id))!['failures'] === 2, 'it is tried once more');
    await change(broken.id, 'condition = $3', plan('pro'));
    await due(broken.id);
    await eventually(async () => (await mine.get(broken.id)).memberCount === 1, 'it is counted');
    expect(await failuresOf(broken.id)).toBeUndefined();
  });
});

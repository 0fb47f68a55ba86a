import { describe, expect, it } from '@jest/globals';
import { segments } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { SegmentsRepository } from './segments.repository.js';
import { SegmentDirtyRepository } from './segment-dirty.repository.js';
import { withSegments } from './testing/with-segments.js';

describe('segments', () => {
  const given = withSegments();

  it('wait for writers that began before the first segment, without delaying other writers', async () => {
    const [mine, others] = [given.open(), given.open()];
    await others.build();
    const made = await given.suite.database.transaction(async () => {
      await given.suite.database.query(
        `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields) VALUES ($1, uuidv7(), 'a@example.org', true, '{"plan":"pro"}')`,
        [mine.projectId],
      );
      await given.suite.database.query(`LOCK TABLE segment_dirty IN ROW EXCLUSIVE MODE`);
      return given.suite.database.apart(async () => {
        const segment = { made: mine.build() };
        const watched = () =>
          given.suite.database.query(`SELECT settled FROM segment_watches WHERE project_id = $1`, [
            mine.projectId,
          ]);
        await eventually(async () => (await watched()).length > 0, 'it is watched');
        await others.contact('b@example.org', { plan: 'pro' });
        expect(await watched()).toEqual([{ settled: false }]);
        return segment;
      });
    });
    expect(await made.made).toMatchObject({ memberCount: 1 });
  });

  it('of one project wait for one another without connections', async () => {
    const mine = given.open();
    const { bus, database, queue } = given.suite;
    const made = await database.transaction(async () => {
      await new SegmentsRepository(database, queue).lockProject(mine.projectId);
      return database.apart(async () => {
        const all = Promise.allSettled(Array.from({ length: 8 }, () => mine.build({ type: 'STATIC' })));
        const waiting = async () => (await lockWaiters(database, { locktype: 'advisory' })).length;
        await eventually(async () => (await waiting()) > 0, 'one waits for the lock');
        await bus.call(segments.list, mine.caller, {});
        expect(await waiting()).toBe(1);
        return { all };
      });
    });
    for (const outcome of await made.all)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'unavailable' });
    expect(await mine.build({ type: 'STATIC' })).toMatchObject({ memberCount: 0 });
  });

  it('wait for such a writer until their deadline only', async () => {
    const { projectId } = given.open();
    await given.suite.database.transaction(async () => {
      await given.suite.database.query(`LOCK TABLE segment_dirty IN ROW EXCLUSIVE MODE`);
      const watched = () => new SegmentDirtyRepository(given.suite.database).watch(projectId, new Date(0));
      const began = performance.now();
      await expect(given.suite.database.apart(watched)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });

  it('are unavailable while their project stays locked, and give up waiting', async () => {
    const mine = given.open();
    const { id } = await mine.build();
    const rename = (name: string) => given.suite.bus.call(segments.update, mine.caller, { id, name });
    await given.suite.database.transaction(async () => {
      await new SegmentsRepository(given.suite.database, given.suite.queue).lockProject(mine.projectId);
      await given.suite.database.apart(async () => {
        await expect(rename('Held')).rejects.toMatchObject({ kind: 'unavailable' });
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        expect(await given.suite.database.query(waiting)).toEqual([]);
      });
    });
    expect(await rename('Free')).toMatchObject({ name: 'Free' });
  });
});

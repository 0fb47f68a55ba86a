import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SegmentsRepository } from '../segments.repository.js';
import { buildConditions, evaluateAll, recountAll } from '../testing/by-hand.js';
import { LiveSuite } from '../testing/live-suite.js';
import { all, plan, type SegmentsOf } from '../testing/segments-suite.js';

describe('a change that waits for evaluation', () => {
  let suite: LiveSuite;
  let fixture: LiveSuite['fixture'];
  beforeAll(async () => {
    suite = await LiveSuite.start();
    ({ fixture } = suite);
  });
  afterAll(() => suite.stop());

  /** Without concurrent evaluation. */
  const alone = async (work: () => Promise<void>) => {
    await suite.pauseService();
    try {
      await work();
    } finally {
      await suite.serve();
    }
  };
  const rewrite = async (mine: SegmentsOf, id: string, to: string) => {
    await fixture.database.query(
      `UPDATE contacts SET custom_fields = jsonb_build_object('plan', $2::text) WHERE id = $1`,
      [id, to],
    );
    await mine.touch(id);
  };
  const lookAtAll = () => evaluateAll(fixture);
  const recount = ({ projectId }: SegmentsOf) => recountAll(fixture, projectId);

  it('is published once, although an erasure refreshes the members before', async () => {
    const mine = suite.open();
    const leaves = await mine.contact('leaves@example.org', { plan: 'pro' });
    const enters = await mine.contact('enters@example.org', { plan: 'free' });
    const segment = await mine.build({ name: 'Pro', trackMembership: true });
    await mine.settled();
    await alone(async () => {
      await rewrite(mine, leaves, 'free');
      await rewrite(mine, enters, 'pro');
      // Without a mark, so that only a refresh finds it.
      await fixture.database.query(
        `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields) VALUES ($1, uuidv7(), 'a@example.org', true, '{"plan":"pro"}')`,
        [mine.projectId],
      );
      await recount(mine);
      await lookAtAll();
      expect(await suite.published(mine)).toEqual({ entered: [[enters, 'pro']], exited: [[leaves, 'pro']] });
    });
    expect(await mine.members(segment.id)).toEqual(['a@example.org', 'enters@example.org']);
    expect((await mine.get(segment.id)).memberCount).toBe(2);
  });

  it('is published once if it is due to time, and the next time is scheduled', async () => {
    const mine = suite.open();
    const contact = await mine.contact('a@example.org');
    await mine.build({
      name: 'Young',
      condition: all(['createdAt', 'within', 2, 'days']),
      trackMembership: true,
    });
    await mine.build({
      name: 'Old',
      condition: all(['createdAt', 'olderThan', 2, 'days']),
      trackMembership: true,
    });
    const later = await mine.contact('b@example.org');
    await mine.settled();
    await alone(async () => {
      await mine.age('3 days');
      await fixture.database.query(`UPDATE contacts SET created_at = clock_timestamp() WHERE id = $1`, [
        later,
      ]);
      await fixture.database.query(`DELETE FROM segment_due WHERE contact_id = $1`, [later]);
      await recount(mine);
      await lookAtAll();
      expect(await suite.published(mine)).toEqual({ entered: [[later, 'young'], [contact, 'old']], exited: [[contact, 'young']] }); // prettier-ignore
      const due = await fixture.database.query(
        `SELECT contact_id AS id FROM segment_due WHERE project_id = $1`,
        [mine.projectId],
      );
      expect(due).toEqual([{ id: later }, { id: later }]);
    });
  });

  it('is published once for a segment that depends on one whose condition changes before', async () => {
    const mine = suite.open();
    const segments = new SegmentsRepository(fixture.database, fixture.queue);
    const base = await mine.build({ name: 'base', condition: plan('pro') });
    const above = await mine.build({
      name: 'above',
      condition: all([`segment.${base.id}`, 'isMemberOf']),
      trackMembership: true,
    });
    const old = await mine.contact('old@example.org', { plan: 'pro' });
    await mine.contact('follows@example.org', { plan: 'team' });
    const enters = await mine.contact('enters@example.org', { plan: 'free' });
    await mine.settled();
    await alone(async () => {
      await rewrite(mine, enters, 'team');
      await fixture.database.transaction(async () => {
        await segments.lockProject(mine.projectId);
        const row = (await segments.find(mine.projectId, base.id))!;
        const conditions = buildConditions(fixture);
        await conditions.rebase(row, await conditions.read(mine.projectId, (row.condition = plan('team'))));
        await segments.save(row);
      });
      await lookAtAll();
      expect(await suite.published(mine)).toEqual({ entered: [[old, 'above'], [enters, 'above']], exited: [] }); // prettier-ignore
    });
    expect(await mine.members(base.id)).toEqual(['enters@example.org', 'follows@example.org']);
    expect(await mine.members(above.id)).toEqual(['enters@example.org', 'follows@example.org']);
  });

  it('keeps waiting while its contact is locked, without delaying others', async () => {
    const mine = suite.open();
    const [held, free] = [await mine.contact('held@example.org'), await mine.contact('free@example.org')];
    await mine.build({ name: 'Pro', trackMembership: true });
    await mine.build({
      name: 'Old',
      condition: all(['createdAt', 'olderThan', 2, 'days']),
      trackMembership: true,
    });
    await mine.settled();
    await alone(async () => {
      await mine.age('3 days');
      await rewrite(mine, held, 'pro');
      await rewrite(mine, free, 'pro');
      const { database } = fixture;
      await database.transaction(async () => {
        await database.query(`SELECT 1 FROM contacts WHERE id = $1 FOR UPDATE`, [held]);
        await database.apart(lookAtAll);
        expect((await suite.published(mine)).entered.sort()).toEqual([[free, 'old'], [free, 'pro']]); // prettier-ignore
      });
      await lookAtAll();
      const { entered } = await suite.published(mine);
      expect(entered.sort()).toEqual([[free, 'old'], [free, 'pro'], [held, 'old'], [held, 'pro']].sort()); // prettier-ignore
    });
    await mine.settled();
  });
});

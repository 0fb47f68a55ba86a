import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, segments } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { segmentRefreshWork } from '../segment-kinds.js';
import { LiveSuite } from '../testing/live-suite.js';
import { all, plan } from '../testing/segments-suite.js';

describe('live segments', () => {
  let suite: LiveSuite;
  let fixture: LiveSuite['fixture'];
  beforeAll(async () => {
    suite = await LiveSuite.start({ breakable: true });
    ({ fixture } = suite);
  });
  afterAll(() => suite.stop());

  it('publish each entry and exit once, and nothing of their baseline', async () => {
    const mine = suite.open();
    const before = await mine.contact('before@example.org', { plan: 'pro' });
    const segment = await mine.build({ name: 'Pro', trackMembership: true });
    const quiet = await mine.build({ name: 'Quiet' });
    const later = await mine.contact('later@example.org', { plan: 'pro' });
    await mine.settled();
    expect(await suite.published(mine)).toEqual({ entered: [[later, 'pro']], exited: [] });
    expect([(await mine.get(segment.id)).memberCount, (await mine.get(quiet.id)).memberCount]).toEqual([
      2, 2,
    ]);
    await mine.contact('before@example.org', { plan: 'free' });
    await mine.touch(before, later, before);
    await mine.settled();
    expect(await suite.published(mine)).toEqual({ entered: [[later, 'pro']], exited: [[before, 'pro']] });
    expect(await mine.members(segment.id)).toEqual(['later@example.org']);
  });

  it('are evaluated in the order of their dependencies, in one round', async () => {
    const mine = suite.open();
    const base = await mine.build({ name: 'base' });
    const waitMs = await mine.build({ name: 'middle', condition: all([`segment.${base.id}`, 'isMemberOf']) });
    await mine.build({
      name: 'top',
      condition: all([`segment.${waitMs.id}`, 'isMemberOf'], ['subscribed', 'equals', true]),
      trackMembership: true,
    });
    const contact = await mine.contact('a@example.org', { plan: 'pro' });
    await mine.settled();
    expect((await suite.published(mine)).entered).toEqual([[contact, 'top']]);
    await mine.contact('a@example.org', { plan: 'free' });
    await mine.settled();
    expect((await suite.published(mine)).exited).toEqual([[contact, 'top']]);
  });

  it('evaluate changes that come all the time once a second at most', async () => {
    const mine = suite.open();
    const { id } = await mine.build({ name: 'Busy' });
    const began = performance.now();
    for (let index = 0; index < 60; index += 1) {
      await mine.contact(`busy-${index}@example.org`, { plan: 'pro' });
      await delay(20);
    }
    await mine.settled();
    const seconds = (performance.now() - began) / 1_000;
    const [members] = await fixture.database.query<{ count: number; commits: number }>(
      `SELECT count(*)::int AS count, count(DISTINCT xmin::text)::int AS commits FROM segment_members WHERE segment_id = $1`,
      [id],
    );
    expect(members!.count).toBe(60);
    expect(members!.commits).toBeLessThanOrEqual(seconds + 2);
  });

  it('follow STATIC segments that they refer to, and publish manual changes', async () => {
    const mine = suite.open();
    const base = await mine.build({ name: 'Hand-picked', type: 'STATIC', trackMembership: true });
    const above = await mine.build({
      name: 'Above',
      condition: all([`segment.${base.id}`, 'isMemberOf']),
      trackMembership: true,
    });
    const contact = await mine.contact('a@example.org');
    const emails = ['a@example.org'];
    await fixture.bus.call(segments.addMembers, mine.caller, { id: base.id, emails });
    await mine.settled();
    expect((await suite.published(mine)).entered).toEqual([
      [contact, 'hand-picked'],
      [contact, 'above'],
    ]);
    expect((await mine.get(above.id)).memberCount).toBe(1);
    await fixture.bus.call(segments.removeMembers, mine.caller, { id: base.id, emails });
    await mine.settled();
    expect((await suite.published(mine)).exited).toEqual([
      [contact, 'hand-picked'],
      [contact, 'above'],
    ]);
  });

  it('are entered and left by time alone, once each, across a restart', async () => {
    const mine = suite.open();
    const young = await mine.build({
      name: 'Young',
      condition: all(['createdAt', 'within', 2, 'days']),
      trackMembership: true,
    });
    await mine.build({
      name: 'Old',
      condition: all(['createdAt', 'olderThan', 2, 'days']),
      trackMembership: true,
    });
    const contact = await mine.contact('a@example.org');
    await mine.settled();
    expect(await suite.published(mine)).toEqual({ entered: [[contact, 'young']], exited: [] });
    await mine.age('1 day');
    await mine.settled();
    await suite.pauseService();
    await mine.age('1 day 1 second');
    await suite.serve();
    await mine.settled();
    expect(await suite.published(mine)).toEqual({
      entered: [
        [contact, 'young'],
        [contact, 'old'],
      ],
      exited: [[contact, 'young']],
    });
    expect((await mine.get(young.id)).memberCount).toBe(0);
    expect(
      await fixture.database.query(`SELECT 1 FROM segment_due WHERE project_id = $1`, [mine.projectId]),
    ).toEqual([]);
  });

  it('schedule changes by time from their baseline', async () => {
    const mine = suite.open();
    const contact = await mine.contact('a@example.org', { seen: new Date().toISOString() });
    await mine.build({
      name: 'Idle',
      condition: all(['createdAt', 'olderThan', 30, 'days']),
      trackMembership: true,
    });
    await mine.age('31 days');
    await mine.settled();
    expect((await suite.published(mine)).entered).toEqual([[contact, 'idle']]);
  });

  it('continue after an outage of the database', async () => {
    const mine = suite.open();
    const segment = await mine.build({ name: 'Pro', trackMembership: true });
    const ids = [];
    for (let index = 0; index < 20; index += 1) {
      ids.push(await mine.contact(`p${index}@example.org`, { plan: 'pro' }));
      if (index % 5 === 4) {
        fixture.line.cut();
        fixture.line.fix();
        await eventually(() => mine.get(segment.id).catch(() => null), 'the service is back');
      }
    }
    await mine.settled();
    expect((await suite.published(mine)).entered.map(([id]) => id).sort()).toEqual([...ids].sort());
    expect((await mine.get(segment.id)).memberCount).toBe(20);
  });

  it('publish changes from the moment in which tracking is turned on', async () => {
    const mine = suite.open();
    const { id } = await mine.build({ name: 'Pro' });
    await mine.contact('a@example.org', { plan: 'pro' });
    await fixture.bus.call(segments.update, mine.caller, { id, trackMembership: true });
    const later = await mine.contact('b@example.org', { plan: 'pro' });
    await mine.settled();
    expect((await suite.published(mine)).entered).toEqual([[later, 'pro']]);
    await fixture.bus.call(segments.update, mine.caller, { id, name: 'Paying' });
    await fixture.bus.call(contacts.delete, mine.caller, { id: later });
    await mine.touch(later);
    const last = await mine.contact('c@example.org', { plan: 'pro' });
    await mine.settled();
    expect(await suite.published(mine)).toEqual({
      entered: [
        [later, 'pro'],
        [last, 'paying'],
      ],
      exited: [],
    });
  });

  it('go on beside an unreadable segment, which is evaluated for everybody once it can be read', async () => {
    const [broken, whole] = [suite.open(), suite.open()];
    const { id } = await broken.build();
    const readable = await broken.build({ name: 'Beside' });
    await whole.build({ name: 'Pro', trackMembership: true });
    const reword = (condition: object) =>
      fixture.database.query(`UPDATE segments SET condition = $3 WHERE project_id = $1 AND id = $2`, [
        broken.projectId,
        id,
        condition,
      ]);
    await reword({});
    await broken.contact('a@example.org', { plan: 'pro' });
    await whole.contact('b@example.org', { plan: 'pro' });
    await whole.settled();
    expect((await suite.published(whole)).entered).toEqual([[expect.any(String), 'pro']]);
    await broken.settled();
    expect(await broken.members(readable.id)).toEqual(['a@example.org']);
    expect(await broken.members(id)).toEqual([]);
    await reword(plan('pro'));
    await fixture.database.query(`UPDATE work_items SET due_at = now() WHERE kind = $1 AND key = $2`, [
      segmentRefreshWork.name,
      id,
    ]);
    await eventually(async () => (await broken.members(id)).length > 0, 'the segment is refreshed');
    expect(await broken.members(id)).toEqual(['a@example.org']);
  });

  it('are scheduled if their condition is too costly, and refuse tracking with the reason', async () => {
    const mine = suite.open();
    await suite.pauseService();
    await suite.serve({ SEGMENT_LIVE_MS: '0', SEGMENT_REFRESH_SECONDS: '1' });
    // With contacts, every condition takes more than 0 ms.
    await fixture.database.query(
      `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields)
       SELECT $1, uuidv7(), 'many' || n || '@example.org', true, '{"plan":"pro"}' FROM generate_series(1, 20000) AS n`,
      [mine.projectId],
    );
    const segment = await mine.build();
    expect(segment).toMatchObject({ upkeep: 'SCHEDULED', memberCount: 20_000 });
    const refusal = {
      kind: 'invalid',
      details: { errors: [{ path: ['trackMembership'], message: expect.stringContaining('live') }] },
    };
    await expect(mine.build({ trackMembership: true })).rejects.toMatchObject(refusal);
    await expect(
      fixture.bus.call(segments.update, mine.caller, { id: segment.id, trackMembership: true }),
    ).rejects.toMatchObject(refusal);
    await mine.contact('one-more@example.org', { plan: 'pro' });
    await eventually(
      async () => (await mine.get(segment.id)).memberCount === 20_001,
      'the segment is found anew',
    );
    const { cost } = await fixture.bus.call(segments.preview, mine.caller, { condition: plan('pro') });
    expect(cost).toMatchObject({ upkeep: 'SCHEDULED' });
    await suite.pauseService();
    await suite.serve();
  });
});

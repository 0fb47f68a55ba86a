import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, segments, segmentUses, type GetSegmentUses } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { all, plan, SegmentsOf } from './testing/segments-suite.js';

describe('segments', () => {
  let suite: BorrowedContacts;
  beforeAll(async () => {
    suite = await borrowContactsSuite();
    for (const owner of ['campaigns', 'workflows'] as const)
      await standIn(suite.connection, segmentUses[owner], async (requested) => ({
        names: users[owner](requested),
      }));
  });
  afterAll(() => suite.stop());
  /** The services that report uses of a segment. */
  const nobody = (_asked: GetSegmentUses): string[] => [];
  let users = { campaigns: nobody, workflows: nobody };

  const open = (): SegmentsOf => {
    const { caller, projectId } = suite.buildProject();
    return new SegmentsOf(suite, caller, projectId);
  };
  const invalidAt = (...path: string[]) => ({
    kind: 'invalid',
    details: { errors: [expect.objectContaining({ path })] },
  });

  it('find their members on creation, and show the condition as it was given', async () => {
    const mine = open();
    for (const name of ['pro', 'pro', 'free'])
      await mine.contact(`${name}${newId()}@example.org`, { plan: name });
    const condition = plan('pro');
    const made = await mine.build({
      name: 'Pro users',
      description: 'They pay',
      condition,
      trackMembership: true,
    });
    expect(made).toMatchObject({
      name: 'Pro users',
      description: 'They pay',
      type: 'DYNAMIC',
      trackMembership: true,
      memberCount: 2,
      upkeep: 'LIVE',
    });
    expect(made.condition).toEqual(condition);
    expect(await mine.get(made.id)).toEqual(made);
    expect(await mine.members(made.id)).toHaveLength(2);
    expect(await mine.build({ name: 'Others', type: 'STATIC' })).toMatchObject({
      condition: null,
      memberCount: 0,
      upkeep: 'MANUAL',
      trackMembership: false,
    });
    const page = await suite.bus.call(segments.list, mine.caller, { withTotal: true });
    expect([page.items.map(({ name }) => name), page.items[1]!.memberCount, page.total]).toEqual([
      ['Others', 'Pro users'],
      2,
      2,
    ]);
    await expect(
      suite.bus.call(segments.get, suite.buildProject().caller, { id: made.id }),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('report the path of each error in a condition, also of missing references', async () => {
    const mine = open();
    const at = ['condition', 'groups', '0', 'filters', '0'];
    await expect(mine.build({ condition: undefined })).rejects.toMatchObject(invalidAt('condition'));
    await expect(mine.build({ condition: all(['plan', 'equals', 1]) })).rejects.toMatchObject(
      invalidAt(...at, 'field'),
    );
    await expect(mine.build({ condition: all([`segment.${newId()}`, 'isMemberOf']) })).rejects.toMatchObject(
      invalidAt(...at, 'field'),
    );
    const foreign = await open().build();
    await expect(
      mine.build({ condition: all([`segment.${foreign.id}`, 'isMemberOf']) }),
    ).rejects.toMatchObject(invalidAt(...at, 'field'));
    expect((await suite.bus.call(segments.list, mine.caller, {})).items).toEqual([]);
  });

  it('have unique names and slugs, and keep former slugs', async () => {
    const mine = open();
    const first = await mine.build({ name: 'Big Spenders!' });
    await expect(mine.build({ name: 'big  spenders' })).rejects.toMatchObject({ kind: 'conflict' });
    await open().build({ name: 'Big Spenders!' });
    const update = (id: string, name: string) => suite.bus.call(segments.update, mine.caller, { id, name });
    expect(await update(first.id, 'Whales')).toMatchObject({ name: 'Whales' });
    await expect(mine.build({ name: 'Big spenders' })).rejects.toMatchObject({ kind: 'conflict' });
    expect(await update(first.id, 'Big Spenders')).toMatchObject({ name: 'Big Spenders' });
    const other = await mine.build({ name: '日本' });
    await expect(mine.build({ name: '日本' })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(update(other.id, 'WHALES')).rejects.toMatchObject({ kind: 'conflict' });
    await suite.bus.call(segments.delete, mine.caller, { id: first.id });
    expect(await update(other.id, 'Whales')).toMatchObject({ name: 'Whales' });
  });

  it('are recounted with their dependents in the call that changes their condition', async () => {
    const mine = open();
    await mine.contact('a@example.org', { plan: 'pro' });
    for (const name of ['b', 'c']) await mine.contact(`${name}@example.org`, { plan: 'free' });
    const base = await mine.build({ trackMembership: true });
    const above = await mine.build({
      condition: all([`segment.${base.id}`, 'isNotMemberOf']),
      trackMembership: true,
    });
    expect(above.memberCount).toBe(2);
    const changed = await suite.bus.call(segments.update, mine.caller, {
      id: base.id,
      condition: plan('free'),
    });
    expect([changed.memberCount, (await mine.get(above.id)).memberCount]).toEqual([2, 1]);
    expect(await mine.members(above.id)).toEqual(['a@example.org']);
    await mine.settled();
    expect(
      await suite.database.query(
        `SELECT 1 FROM outbox WHERE project_id = $1 AND event_name LIKE 'contacts.segment.%'`,
        [mine.projectId],
      ),
    ).toEqual([]);
    const same = await suite.bus.call(segments.update, mine.caller, { id: base.id });
    expect(same).toEqual(changed);
  });

  it('of type STATIC add and remove contacts by address, and ignore conditions', async () => {
    const mine = open();
    await mine.contact('a@example.org');
    const { id } = await mine.build({ type: 'STATIC' });
    const add = (emails: string[], createMissing?: boolean) =>
      suite.bus.call(segments.addMembers, mine.caller, { id, emails, createMissing });
    expect(await add(['A@example.org', 'stranger@example.org'])).toEqual({
      added: 1,
      created: 0,
      notFound: ['stranger@example.org'],
    });
    expect(await add(['a@example.org', 'stranger@example.org'], true)).toEqual({
      added: 1,
      created: 1,
      notFound: [],
    });
    expect((await mine.get(id)).memberCount).toBe(2);
    expect(
      await suite.bus.call(segments.update, mine.caller, { id, condition: { nonsense: true } }),
    ).toMatchObject({ condition: null });
    const remove = () =>
      suite.bus.call(segments.removeMembers, mine.caller, {
        id,
        emails: ['a@example.org', 'nobody@example.org'],
      });
    expect([await remove(), await remove()]).toEqual([{ removed: 1 }, { removed: 0 }]);
    const dynamic = await mine.build();
    const wrong = { id: dynamic.id, emails: ['a@example.org'] };
    await expect(suite.bus.call(segments.addMembers, mine.caller, wrong)).rejects.toMatchObject({
      kind: 'conflict',
    });
    await expect(suite.bus.call(segments.removeMembers, mine.caller, wrong)).rejects.toMatchObject({
      kind: 'conflict',
    });
  });

  it('cannot be deleted while campaigns or workflows use them, which are named', async () => {
    const mine = open();
    const { id } = await mine.build();
    users = { campaigns: () => ['Spring'], workflows: () => ['Welcome', 'Goodbye'] };
    await expect(suite.bus.call(segments.delete, mine.caller, { id })).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('the campaign Spring, the workflow Welcome, the workflow Goodbye'),
    });
    expect((await mine.get(id)).id).toBe(id);
    users = { campaigns: nobody, workflows: nobody };
    await suite.bus.call(segments.delete, mine.caller, { id });
  });

  it('cannot be deleted while a former slug is in use, or if they came into use meanwhile', async () => {
    const mine = open();
    const { id } = await mine.build({ name: 'Paying' });
    await suite.bus.call(segments.update, mine.caller, { id, name: 'Pro plan' });
    const remove = () => suite.bus.call(segments.delete, mine.caller, { id });
    users = {
      campaigns: nobody,
      workflows: ({ slugs }) => (slugs.includes('paying') ? [slugs.join(' ')] : []),
    };
    await expect(remove()).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('the workflow pro-plan paying'),
    });
    let requested = 0;
    users = { campaigns: nobody, workflows: () => ((requested += 1) > 1 ? ['Late'] : []) };
    await expect(remove()).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('the workflow Late'),
    });
    users = { campaigns: nobody, workflows: nobody };
    await remove();
  });

  it('cannot become circular, even by two concurrent calls', async () => {
    const mine = open();
    const at = ['condition', 'groups', '0', 'filters', '0', 'field'];
    const [a, b, c] = [await mine.build(), await mine.build(), await mine.build()];
    const name = (from: string, to: string) =>
      suite.bus.call(segments.update, mine.caller, {
        id: from,
        condition: all([`segment.${to}`, 'isMemberOf']),
      });
    await expect(name(a.id, a.id)).rejects.toMatchObject(invalidAt(...at));
    await name(a.id, b.id);
    const both = await Promise.allSettled([name(b.id, c.id), name(c.id, a.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((each) => each.status === 'rejected')!.reason).toMatchObject(invalidAt(...at));
    await expect(suite.bus.call(segments.delete, mine.caller, { id: b.id })).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining(a.name),
    });
    expect((await mine.get(b.id)).name).toBe(b.name);
    await suite.bus.call(segments.update, mine.caller, { id: a.id, condition: plan('pro') });
    await Promise.allSettled([
      suite.bus.call(segments.delete, mine.caller, { id: b.id }),
      suite.bus.call(segments.delete, mine.caller, { id: c.id }),
    ]);
  });

  it('preview the matches of a condition and what each filter excludes', async () => {
    const mine = open();
    for (const [index, name] of ['pro', 'pro', 'free', 'free', 'free'].entries())
      await mine.contact(`p${index}@example.org`, { plan: name, n: index });
    await open().contact('foreign@example.org', { plan: 'pro', n: 0 });
    const condition = {
      logic: 'AND',
      groups: [
        {
          filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }],
          conditions: all(['data.n', 'lessThan', 1]),
        },
      ],
    };
    const preview = await suite.bus.call(segments.preview, mine.caller, { condition });
    expect(preview).toMatchObject({
      count: 1,
      sample: [{ email: 'p0@example.org', customFields: { plan: 'pro', n: 0 }, createdAt: expect.any(Date) }],
      excludedBy: [
        { path: '/groups/0/filters/0', count: 3 },
        { path: '/groups/0/conditions/groups/0/filters/0', count: 4 },
      ],
      cost: { upkeep: 'LIVE' },
    });
    await expect(suite.bus.call(segments.preview, mine.caller, { condition: {} })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  it('filter the list of contacts', async () => {
    const mine = open();
    for (const name of ['pro', 'pro', 'free'])
      await mine.contact(`${name}${newId()}@example.org`, { plan: name });
    const { id } = await mine.build();
    const found = await suite.bus.call(contacts.list, mine.caller, {
      segmentId: id,
      limit: 1,
      withTotal: true,
    });
    expect([found.items.length, found.hasMore, found.total]).toEqual([1, true, 2]);
    expect((await suite.bus.call(contacts.list, mine.caller, { segmentId: newId() })).items).toEqual([]);
  });

  it('lose a contact in the commit of its deletion', async () => {
    const mine = open();
    const contact = await mine.contact('a@example.org', { plan: 'pro' });
    const { id } = await mine.build();
    await suite.bus.call(contacts.delete, mine.caller, { id: contact });
    expect([(await mine.get(id)).memberCount, await mine.members(id)]).toEqual([0, []]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { contacts, events, lists, memberships, segments, type SegmentPreview } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { all, plan, type SegmentsOf } from './testing/segments-suite.js';
import { withSegments } from './testing/with-segments.js';

const concurrent = 63;
const atLeast = (n: number) => all(['customFields.n', 'greaterThanOrEqual', n]);

describe('previews of segments', () => {
  const given = withSegments();

  const preview = ({ caller }: SegmentsOf, condition: Record<string, unknown>): Promise<SegmentPreview> =>
    given.suite.bus.call(segments.preview, caller, { condition }, { timeoutMs: 30_000 });
  const countOf = async (mine: SegmentsOf, condition: Record<string, unknown>): Promise<number> =>
    (await preview(mine, condition)).count;

  /** Nobody reads contacts while `work` runs; `waiting` are the previews that would. */
  const withoutContacts = <T>(work: (waiting: () => Promise<number>) => Promise<T>): Promise<T> => {
    const { database } = given.suite;
    const waiting = async () => (await lockWaiters(database, { statement: 'counted.*' })).length;
    return database.transaction(async () => {
      await database.query(`LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE`);
      return database.apart(() => work(waiting));
    });
  };

  /** A project whose contacts are watched, with nothing left to evaluate. */
  const openWatched = async (...plans: string[]): Promise<SegmentsOf> => {
    const mine = given.open();
    await mine.build();
    for (const [index, name] of plans.entries())
      await mine.contact(`p${index}@example.org`, { plan: name, n: index });
    await mine.settled();
    return mine;
  };

  it('share a run while an equal one of the project runs', async () => {
    const [mine, others] = [given.open(), given.open()];
    await mine.contact('a@example.org', { plan: 'pro' });
    const { running } = await withoutContacts(async (waiting) => {
      const running = [mine, mine, mine, others].map((each) => countOf(each, plan('pro')));
      await eventually(async () => (await waiting()) === 2, 'one of each project reads contacts');
      return { running };
    });
    expect(await Promise.all(running)).toEqual([1, 1, 1, 0]);
  });

  it('wait for one another, a bounded number of them, and are refused beyond it', async () => {
    const [mine, others] = [given.open(), given.open()];
    await mine.contact('a@example.org', { n: 40 });
    const results = await withoutContacts(async (waiting) => {
      const mines = Promise.allSettled(Array.from({ length: 132 }, (_, n) => countOf(mine, atLeast(n))));
      const other = countOf(others, atLeast(0));
      await eventually(async () => (await waiting()) === 2, 'one of each project reads contacts');
      return { mines, other };
    });
    expect(await results.other).toBe(0);
    const refused = (await results.mines).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(132 - 129);
    for (const each of refused) expect(each).toMatchObject({ reason: { kind: 'rate_limited' } });
  });

  it('are not refused while 63 different ones of a project come at once, and leave others their turn', async () => {
    const [mine, others] = [given.open(), given.open()];
    await mine.contact('a@example.org', { n: 40 });
    let answered = 0;
    const all = Array.from({ length: concurrent }, async (_, n) => {
      const count = await countOf(mine, atLeast(n));
      answered += 1;
      return count;
    });
    expect(await countOf(others, atLeast(0))).toBe(0);
    expect(answered).toBeLessThan(concurrent);
    expect(await Promise.all(all)).toEqual(Array.from({ length: concurrent }, (_, n) => (n <= 40 ? 1 : 0)));
  });

  it('read no contact again while none of the project has changed', async () => {
    const [mine, others] = [await openWatched('pro', 'pro', 'free'), await openWatched('pro')];
    const condition = all(['customFields.plan', 'equals', 'pro'], ['customFields.n', 'lessThan', 1]);
    const before = [await preview(mine, condition), await preview(others, condition)];
    expect(before.map(({ count }) => count)).toEqual([1, 1]);
    expect(before.map(({ excludedBy }) => excludedBy.map(({ count }) => count))).toEqual([
      [1, 2],
      [0, 0],
    ]);
    await withoutContacts(async () => {
      expect([await preview(mine, condition), await preview(others, condition)]).toEqual(before);
    });
    expect(before[0]!.sample).not.toEqual(before[1]!.sample);
  });

  it('see each change of a contact, before and after its segments have', async () => {
    const mine = await openWatched('pro', 'pro', 'free');
    const { bus } = given.suite;
    const list = await bus.call(lists.create, mine.caller, { name: 'News' });
    const either = {
      logic: 'OR',
      groups: [plan('pro'), all(['event.bought', 'triggered']), all([`list.${list.id}`, 'isMemberOf'])].map(
        (each) => (each['groups'] as unknown[])[0],
      ),
    };
    const email = 'p2@example.org';
    const put = (name: string) =>
      bus.call(contacts.upsert, mine.caller, { email, customFields: { plan: name } });
    const changes: [change: () => Promise<unknown>, count: number][] = [
      [() => put('pro'), 3],
      [() => put('free'), 2],
      [() => bus.call(events.track, mine.caller, { event: 'bought', email }), 3],
      [() => bus.call(contacts.deleteMany, mine.caller, { emails: [email] }), 2],
      [() => put('free'), 2],
      [() => bus.call(memberships.subscribe, mine.caller, { id: list.id, email }), 3],
    ];
    expect(await countOf(mine, either)).toBe(2);
    for (const [change, count] of changes) {
      await change();
      expect(await countOf(mine, either)).toBe(count);
      await mine.settled();
      expect(await countOf(mine, either)).toBe(count);
      expect(await withoutContacts(() => countOf(mine, either))).toBe(count);
    }
  });

  it('see what time alone changes', async () => {
    const mine = await openWatched('pro');
    const young = all(['createdAt', 'within', 1, 'days']);
    expect(await countOf(mine, young)).toBe(1);
    await given.suite.database.query(
      `UPDATE contacts SET created_at = created_at - interval '2 days' WHERE project_id = $1`,
      [mine.projectId],
    );
    expect(await countOf(mine, young)).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, type CustomEvent, type ListEvents } from '@posthorn/contracts';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

describe('lists of events', () => {
  it('are filtered by name and contact, newest first; names are ordered by frequency', async () => {
    const { caller } = suite.buildProject();
    const made: CustomEvent[] = [];
    for (const [index, name] of ['a', 'b', 'b', 'c', 'b', 'c'].entries()) {
      made.unshift(await suite.bus.call(events.record, caller, { name, email: `p${index % 2}@example.org` }));
    }
    const pages = async (query: ListEvents) => {
      const found: CustomEvent[] = [];
      let after: ListEvents['after'];
      do {
        const page = await suite.bus.call(events.list, caller, { limit: 2, ...query, after });
        found.push(...page.items);
        after = page.next ?? undefined;
      } while (after);
      return found;
    };
    expect(await pages({})).toEqual(made);
    expect(await pages({ eventName: 'b' })).toEqual(made.filter(({ name }) => name === 'b'));
    const { contactId } = made[0]!;
    expect(await pages({ contactId, eventName: 'c' })).toEqual(
      made.filter((each) => each.name === 'c' && each.contactId === contactId),
    );
    expect((await suite.bus.call(events.list, caller, { contactId, withTotal: true })).total).toBe(3);
    expect(await suite.bus.call(events.names, caller, {})).toEqual({ data: ['b', 'c', 'a'] });
    const outsider = suite.buildProject().caller;
    expect((await suite.bus.call(events.list, outsider, { contactId })).items).toEqual([]);
    expect(await suite.bus.call(events.names, outsider, {})).toEqual({ data: [] });
  });

  it('report when there are more names or days than they show', async () => {
    const { caller, projectId } = suite.buildProject();
    const fill = (count: number) =>
      suite.database.query(
        `WITH named AS (
           INSERT INTO event_names (project_id, name, count) SELECT $1, 'n' || n, n FROM generate_series(1, $2::int) AS n ON CONFLICT DO NOTHING
         ) INSERT INTO event_days (project_id, day, name, count)
           SELECT $1, '2026-01-01'::date + n / 10000, 'n' || n, n FROM generate_series(1, least($2, 20001)) AS n ON CONFLICT DO NOTHING`,
        [projectId, count],
      );
    const window = { from: new Date('2026-01-01'), to: new Date('2026-01-05') };
    const named = async () => {
      const { data, truncated } = await suite.bus.call(events.names, caller, {});
      return [data.length, data[0], truncated];
    };
    await fill(10_000);
    expect(await named()).toEqual([10_000, 'n10000', undefined]);
    await fill(20_000);
    expect(await named()).toEqual([10_000, 'n20000', true]);
    const whole = await suite.bus.call(events.stats, caller, window);
    expect([whole.data.length, whole.truncated]).toEqual([20_000, undefined]);
    await fill(20_001);
    const part = await suite.bus.call(events.stats, caller, window);
    expect([part.data.length, part.truncated]).toEqual([20_000, true]);
    expect(
      (await suite.bus.call(events.stats, caller, { ...window, to: window.from })).truncated,
    ).toBeUndefined();
  });
});

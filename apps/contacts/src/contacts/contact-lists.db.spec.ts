import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, type Caller, type Contact, type ListContacts } from '@posthorn/contracts';
import { totalCap } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { countDeltas, foldDeltas } from '../counts/fold-counts.js';
import { AddressSearch } from './address-search.js';
import { ContactCounts } from './contact-counts.read-model.js';

describe('lists of contacts', () => {
  let suite: BorrowedContacts;
  beforeAll(async () => {
    suite = await borrowContactsSuite();
  });
  afterAll(() => suite.stop());

  const list = (caller: Caller, query: ListContacts = {}) => suite.bus.call(contacts.list, caller, query);

  async function all(caller: Caller, query: ListContacts): Promise<Contact[]> {
    const found: Contact[] = [];
    let after: ListContacts['after'];
    do {
      const page = await list(caller, { ...query, after });
      found.push(...page.items);
      expect(page.hasMore).toBe(page.next !== null);
      after = page.next ?? undefined;
    } while (after);
    return found;
  }

  it('show each contact once, newest first, ties by id', async () => {
    const { caller, projectId } = suite.buildProject();
    await suite.bus.call(contacts.ensure, caller, {
      emails: Array.from({ length: 50 }, (_, index) => `tie${index}@example.org`),
    });
    for (const index of [1, 2, 3])
      await suite.bus.call(contacts.create, caller, { email: `later${index}@example.org` });
    const expected = await suite.database.query<{ id: string }>(
      `SELECT id FROM contacts WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
      [projectId],
    );
    const paged = await all(caller, { limit: 7 });
    expect(paged.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(paged.slice(0, 3).map(({ email }) => email)).toEqual([
      'later3@example.org',
      'later2@example.org',
      'later1@example.org',
    ]);
    expect((await list(caller)).items).toHaveLength(20);
    expect((await list(caller, { limit: 100 })).next).toBeNull();
  });

  it('can be filtered by part of the address and by subscription; wildcards are literal', async () => {
    const { caller } = suite.buildProject();
    for (const email of [
      'ann.lee@example.org',
      'ben@lee.example',
      '100%@example.org',
      'under_score@example.org',
      'underxscore@example.org',
      'zoe@büro.example',
    ]) {
      await suite.bus.call(contacts.create, caller, { email, subscribed: email.startsWith('b') });
    }
    await suite.bus.call(contacts.create, suite.buildProject().caller, { email: 'lee@foreign.example' });
    const found = async (query: ListContacts) =>
      (await all(caller, { limit: 1, ...query })).map(({ email }) => email);
    expect(await found({ search: 'LEE' })).toEqual(['ben@lee.example', 'ann.lee@example.org']);
    expect(await found({ search: 'lee', subscribed: false })).toEqual(['ann.lee@example.org']);
    expect(await found({ subscribed: true })).toEqual(['ben@lee.example']);
    expect(await found({ email: 'ben@lee.example' })).toEqual(['ben@lee.example']);
    expect(await found({ email: 'nobody@lee.example' })).toEqual([]);
    expect(await list(caller, { email: 'ben@lee.example', withTotal: true })).toMatchObject({ total: 1 });
    expect(await found({ search: '%' })).toEqual(['100%@example.org']);
    expect(await found({ search: 'r_s' })).toEqual(['under_score@example.org']);
    expect(await found({ search: '\\' })).toEqual([]);
    expect(await found({ search: ' Zoe@Büro.example ' })).toEqual(['zoe@xn--bro-hoa.example']);
    const counted = await list(caller, { search: 'lee', limit: 1, withTotal: true });
    expect([counted.items.length, counted.hasMore, counted.total, counted.totalIsCapped]).toEqual([
      1,
      true,
      2,
      undefined,
    ]);
    expect((await list(caller, { search: 'lee' })).total).toBeUndefined();
  });

  it.each([
    ['most contacts', 2_000, 'ctid'],
    ['few', 40, 'row.email'],
  ])('find a rare term among common ones, in a project that has %s', async (_, count, by) => {
    const [large, { caller, projectId }] = [suite.buildProject(), suite.buildProject()];
    for (const [project, contactsOfIt] of [
      [large.projectId, 1_000],
      [projectId, count],
    ])
      await suite.database.query(
        `INSERT INTO contacts (project_id, id, email, subscribed)
         SELECT $1, uuidv7(), 'reader-' || 10000 + n || '@firm.example', n % 2 = 0 FROM generate_series(1, $2::int) AS n`,
        [project, contactsOfIt],
      );
    for (const email of ['reader-zoe%@firm.example', 'reader-zoe_1@firm.example', 'writer-zoe@firm.example'])
      await suite.bus.call(contacts.create, caller, { email });
    await suite.bus.call(contacts.create, large.caller, { email: 'reader-zoe@firm.example' });
    await suite.database.query(`ANALYZE contacts`);
    const filter = await new AddressSearch(suite.database).filterOf(projectId, 'reader-zoe');
    expect([filter.parameters['term0'], filter.sql]).toEqual(['%zoe%', expect.stringContaining(by)]);
    const found = async (query: ListContacts) =>
      (await all(caller, { limit: 1, ...query })).map(({ email }) => email);
    expect(await found({ search: 'Reader-Zoe' })).toEqual([
      'reader-zoe_1@firm.example',
      'reader-zoe%@firm.example',
    ]);
    expect(await found({ search: 'reader-zoe%' })).toEqual(['reader-zoe%@firm.example']);
    expect(await found({ search: 'reader-zoe', subscribed: false })).toEqual([]);
    expect((await list(caller, { search: 'reader-zoe', limit: 1, withTotal: true })).total).toBe(2);
    await suite.database.query(`DELETE FROM contacts WHERE project_id = ANY ($1)`, [
      [large.projectId, projectId],
    ]);
  });

  it('count matches of a search up to the cap', async () => {
    const { caller, projectId } = suite.buildProject();
    await suite.database.query(
      `INSERT INTO contacts (project_id, id, email, subscribed)
       SELECT $1, gen_random_uuid(), 'many' || n || '@example.org', n > 1 FROM generate_series(1, ${totalCap + 1}) AS n`,
      [projectId],
    );
    expect(await list(caller, { search: 'many', withTotal: true })).toMatchObject({
      total: totalCap,
      totalIsCapped: true,
    });
    const exact = await list(caller, { search: 'many', subscribed: true, withTotal: true });
    expect([exact.total, exact.totalIsCapped]).toEqual([totalCap, undefined]);
  });

  it('have totals that equal a recount, with or without folded deltas', async () => {
    const { caller, projectId } = suite.buildProject();
    const counts = new ContactCounts(suite.database);
    const random = seeded(20260301);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const step = async (): Promise<unknown> => {
      const email = `p${Math.floor(random() * 30)}@example.org`;
      const subscribed = pick([true, false, undefined]);
      const { items } = await list(caller, { limit: 100 });
      const id = items.length > 0 ? pick(items).id : undefined;
      const actions = [
        () => suite.bus.call(contacts.create, caller, { email, subscribed }),
        () => suite.bus.call(contacts.upsert, caller, { email, subscribed }),
        () => suite.bus.call(contacts.ensure, caller, { emails: [email, `q${email}`] }),
        () => suite.bus.call(contacts.update, caller, { id: id!, subscribed, customFieldsMode: 'MERGE' }),
        () => suite.bus.call(contacts.delete, caller, { id: id! }),
        () => foldDeltas(suite.database, countDeltas[0]!, 5),
      ];
      return pick(id ? actions : actions.slice(0, 3))();
    };
    for (let round = 0; round < 40; round += 1) {
      // Conflicts and contacts that another step deleted are expected.
      await Promise.allSettled(Array.from({ length: 8 }, step));
      const [recount] = await suite.database.query(
        `SELECT count(*) AS total, count(*) FILTER (WHERE subscribed) AS subscribed FROM contacts WHERE project_id = $1`,
        [projectId],
      );
      expect(await counts.of(projectId)).toEqual(recount);
    }
    const [every, yes, no] = await Promise.all(
      [{}, { subscribed: true }, { subscribed: false }].map((query) =>
        list(caller, { ...query, withTotal: true }),
      ),
    );
    expect(every!.total).toBe((await all(caller, { limit: 100 })).length);
    expect(every!.total).toBe(yes!.total! + no!.total!);
    await eventually(async () => {
      const open = await suite.database.query(`SELECT 1 FROM contact_count_deltas WHERE project_id = $1`, [
        projectId,
      ]);
      return open.length === 0;
    }, 'the deltas are folded');
    expect((await counts.of(projectId)).total).toBe(every!.total);
  });
});

/** Mulberry32: the same run every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts, segments, type Segment } from '@posthorn/contracts';
import { borrowContactsSuite, type BorrowedContacts } from '../../testing/contacts-suite.js';
import { parseCondition } from '../parsing/parse-condition.js';
import { queriesOf } from '../testing/evaluators.js';
import { all, plan, SegmentsOf } from '../testing/segments-suite.js';

describe('segments after random changes', () => {
  let suite: BorrowedContacts;
  beforeAll(async () => {
    suite = await borrowContactsSuite();
  });
  afterAll(() => suite.stop());

  it('have the members and counts of a recount, and events that lead to them', async () => {
    const { caller, projectId } = suite.buildProject();
    const mine = new SegmentsOf(suite, caller, projectId);
    const random = seeded(20260301);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const hand = await mine.build({ name: 'hand', type: 'STATIC' });
    const base = await mine.build({ name: 'base', trackMembership: true });
    const made: Segment[] = [
      base,
      await mine.build({ name: 'above', condition: all([`segment.${base.id}`, 'isNotMemberOf'], ['subscribed', 'equals', true]), trackMembership: true }),
      await mine.build({ name: 'picked', condition: all([`segment.${hand.id}`, 'isMemberOf']), trackMembership: true }),
      await mine.build({ name: 'young', condition: all(['createdAt', 'within', 3, 'hours']), trackMembership: true }),
    ]; // prettier-ignore
    const email = () => `p${Math.floor(random() * 25)}@example.org`;
    const ids = async () =>
      (await suite.bus.call(contacts.list, caller, { limit: 100 })).items.map(({ id }) => id);
    const steps: (() => Promise<unknown>)[] = [
      () => mine.contact(email(), { plan: pick(['pro', 'free']) }),
      () => mine.contact(email(), { plan: pick(['pro', 'free']) }),
      async () => {
        const id = pick(await ids());
        await suite.bus.call(contacts.update, caller, {
          id,
          subscribed: pick([true, false]),
          customFieldsMode: 'MERGE',
        });
        await mine.touch(id);
      },
      async () => {
        const id = pick(await ids());
        await suite.bus.call(contacts.delete, caller, { id });
        await mine.touch(id);
      },
      () =>
        suite.bus.call(segments.addMembers, caller, {
          id: hand.id,
          emails: [email(), email()],
          createMissing: pick([true, false]),
        }),
      () => suite.bus.call(segments.removeMembers, caller, { id: hand.id, emails: [email(), email()] }),
      () => suite.bus.call(segments.update, caller, { id: base.id, condition: plan(pick(['pro', 'free'])) }),
      () => mine.age('1 hour'),
    ];
    for (let round = 0; round < 25; round += 1) {
      // Contacts that another step deleted are expected.
      await Promise.allSettled(Array.from({ length: 6 }, () => pick(steps)()));
      if (round % 5 === 4) await expectRecount(mine, made, hand);
    }
    await expectEventsLead(mine, made[2]!);
    await expectEventsLead(mine, made[3]!);
  });

  async function expectRecount(mine: SegmentsOf, made: readonly Segment[], hand: Segment): Promise<void> {
    await mine.settled();
    const rows = await queriesOf(
      suite.database,
      mine.projectId,
      await Promise.all(made.map(async ({ id }) => parseCondition((await mine.get(id)).condition))),
    )(new Date());
    for (const [index, { id, name }] of made.entries()) {
      const members = await membersOf(id);
      const found = rows.filter(({ answers }) => answers[index]).map((row) => row.id);
      expect([name, members]).toEqual([name, found.sort()]);
      expect([name, (await mine.get(id)).memberCount]).toEqual([name, members.length]);
    }
    expect((await mine.get(hand.id)).memberCount).toBe((await membersOf(hand.id)).length);
  }

  async function membersOf(id: string): Promise<string[]> {
    const rows = await suite.database.query<{ id: string }>(
      `SELECT contact_id AS id FROM segment_members WHERE segment_id = $1`,
      [id],
    );
    return rows.map((row) => row.id).sort();
  }

  /** Entries and exits of a contact alternate, and the last one is its state, unless it was deleted. */
  async function expectEventsLead(mine: SegmentsOf, { id }: Segment): Promise<void> {
    const events = await suite.database.query<{
      event: string;
      items: { contactId: string; segmentId: string }[];
    }>(
      `SELECT event_name AS event, items FROM outbox WHERE project_id = $1 AND event_name LIKE 'contacts.segment.%' ORDER BY id`,
      [mine.projectId],
    );
    const last = new Map<string, string>();
    for (const { event, items } of events) {
      for (const { contactId } of items.filter(({ segmentId }) => segmentId === id)) {
        expect([contactId, event]).not.toEqual([contactId, last.get(contactId)]);
        last.set(contactId, event);
      }
    }
    const members = await membersOf(id);
    const known = new Set(
      (
        await suite.database.query<{ id: string }>(`SELECT id FROM contacts WHERE project_id = $1`, [
          mine.projectId,
        ])
      ).map((row) => row.id),
    );
    const inside = [...last]
      .filter(([contact, event]) => known.has(contact) && event === contactEvents.segmentEntered.name)
      .map(([contact]) => contact);
    expect(inside.sort()).toEqual(members);
  }
});

/** Mulberry32: the same choices every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

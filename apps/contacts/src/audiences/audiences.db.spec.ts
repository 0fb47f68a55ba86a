import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  audiences,
  contacts,
  lists,
  memberships,
  type Audience,
  type AudienceMember,
  type Caller,
} from '@posthorn/contracts';
import { plan, SegmentsOf } from '../segments/testing/segments-suite.js';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const everybody: Audience = {
  audienceType: 'ALL',
  audienceCondition: null,
  segmentId: null,
  listId: null,
  excludeSegmentIds: [],
  excludeListIds: [],
};

const add = async (
  caller: Caller,
  name: string,
  customFields: Record<string, unknown> = {},
  subscribed = true,
) =>
  (await suite.bus.call(contacts.upsert, caller, { email: `${name}@example.org`, customFields, subscribed }))
    .id;

/** All pages of two contacts each. */
async function membersOf(
  caller: Caller,
  audience: Audience,
  timeZoneField?: string,
): Promise<AudienceMember[]> {
  const found: AudienceMember[] = [];
  const until = new Date(Date.now() + 60_000);
  for (let after: string | null = null, first = true; first || after !== null; first = false) {
    const { items, next }: { items: AudienceMember[]; next: string | null } = await suite.bus.call(
      audiences.page,
      caller,
      { audience, until, limit: 2, ...(after ? { after } : {}), ...(timeZoneField ? { timeZoneField } : {}) },
    );
    found.push(...items);
    after = next;
  }
  return found;
}

const namesOf = (members: readonly AudienceMember[]) =>
  members.map(({ email }) => email.split('@')[0]).sort();

describe('the audience of a campaign', () => {
  it('is everybody, in pages, with what each says of his time zone', async () => {
    const { caller } = suite.buildProject();
    await add(caller, 'berlin', { zone: 'Europe/Berlin' });
    await add(caller, 'odd', { zone: 7 });
    await add(caller, 'long', { zone: 'x'.repeat(500) });
    await add(caller, 'none');
    await add(caller, 'left', {}, false);
    const members = await membersOf(caller, everybody, 'zone');
    expect(namesOf(members)).toEqual(['berlin', 'left', 'long', 'none', 'odd']);
    const zones = Object.fromEntries(members.map(({ email, timeZone }) => [email.split('@')[0], timeZone]));
    expect(zones).toEqual({
      berlin: 'Europe/Berlin',
      left: null,
      long: 'x'.repeat(64),
      none: null,
      odd: '7',
    });
    expect(members.filter(({ subscribed }) => !subscribed)).toHaveLength(1);
    expect((await membersOf(caller, everybody))[0]).not.toHaveProperty('timeZone');
  });

  it('is a condition, a segment or a list, and says who of it is excluded', async () => {
    const { caller, projectId } = suite.buildProject();
    const mine = new SegmentsOf(suite, caller, projectId);
    const segment = await mine.build({ name: 'Pro' });
    for (const name of ['ada', 'joan']) await mine.contact(`${name}@example.org`, { plan: 'pro' });
    await mine.contact('free@example.org', { plan: 'free' });
    const list = await suite.bus.call(lists.create, caller, { name: 'Excluded' });
    await suite.bus.call(memberships.subscribe, caller, { id: list.id, email: 'joan@example.org' });
    await mine.settled();
    const excluding = { excludeListIds: [list.id] };
    for (const audience of [
      { ...everybody, ...excluding, audienceType: 'FILTERED' as const, audienceCondition: plan('pro') },
      { ...everybody, ...excluding, audienceType: 'SEGMENT' as const, segmentId: segment.id },
    ]) {
      const members = await membersOf(caller, audience);
      expect([namesOf(members), namesOf(members.filter(({ excluded }) => excluded))]).toEqual([
        ['ada', 'joan'],
        ['joan'],
      ]);
    }
    const onList = { ...everybody, audienceType: 'LIST' as const, listId: list.id };
    expect(namesOf(await membersOf(caller, onList))).toEqual(['joan']);
    const other = suite.buildProject();
    expect(await membersOf(other.caller, everybody)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  audiences,
  contacts,
  lists,
  memberships,
  topicChoices,
  topics,
  type Audience,
  type AudienceMember,
  type Caller,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
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
  topicId?: string,
): Promise<AudienceMember[]> {
  const found: AudienceMember[] = [];
  const until = new Date(Date.now() + 60_000);
  for (let after: string | null = null, first = true; first || after !== null; first = false) {
    const { items, next }: { items: AudienceMember[]; next: string | null } = await suite.bus.call(
      audiences.page,
      caller,
      {
        audience,
        until,
        limit: 2,
        ...(after ? { after } : {}),
        ...(timeZoneField ? { timeZoneField } : {}),
        ...(topicId ? { topicId } : {}),
      },
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

  it('says who is opted in to a topic: by their own choice, else by its default', async () => {
    const { caller } = suite.buildProject();
    const build = (key: string, defaultOptIn: boolean) =>
      suite.bus.call(topics.create, caller, { key, name: key, defaultOptIn });
    const [open, closed] = [await build('open', true), await build('closed', false)];
    for (const name of ['silent', 'in', 'out', 'left']) {
      const id = await add(caller, name, {}, name !== 'left');
      if (name !== 'silent')
        await suite.bus.call(topicChoices.put, caller, {
          id,
          topics: { open: name !== 'out', closed: name === 'in' },
        });
    }
    const optedIn = async (topicId: string) =>
      namesOf((await membersOf(caller, everybody, undefined, topicId)).filter((member) => member.optedIn));
    expect(await optedIn(open.id)).toEqual(['in', 'left', 'silent']);
    expect(await optedIn(closed.id)).toEqual(['in']);
    await suite.bus.call(topics.update, caller, { id: closed.id, defaultOptIn: true, archived: true });
    expect(await optedIn(closed.id)).toEqual(['in', 'silent']);
    expect(await optedIn(newId())).toEqual([]);
    const hasMembers = async (topicId: string) =>
      (await suite.bus.call(audiences.check, caller, { ...everybody, subscribedOnly: true, topicId }))
        .hasMembers;
    expect([await hasMembers(open.id), await hasMembers(newId())]).toEqual([true, false]);
    const everyone = await membersOf(caller, everybody);
    const { contactIds } = await suite.bus.call(topicChoices.missing, caller, {
      topicId: closed.id,
      contactIds: [...everyone.map(({ contactId }) => contactId), newId()],
    });
    expect(contactIds).toHaveLength(3);
    const stranger = suite.buildProject().caller;
    expect(
      (
        await suite.bus.call(topicChoices.missing, stranger, {
          topicId: open.id,
          contactIds: [everyone[0]!.contactId],
        })
      ).contactIds,
    ).toHaveLength(1);
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

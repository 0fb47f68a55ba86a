import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activity, contacts, lists } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { addresses, importsFixture } from '../testing/imports-fixture.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: BorrowedContacts;
let imports: ReturnType<typeof importsFixture>;
let fixture: ReturnType<typeof listsFixture>;
beforeAll(async () => {
  suite = await borrowContactsSuite();
  imports = importsFixture(suite);
  fixture = listsFixture(suite);
});
afterAll(() => suite.stop());

describe('an import into lists', () => {
  it('adds contacts once, and not those who unsubscribed', async () => {
    const { caller } = suite.buildProject();
    const [one, other] = [
      await fixture.build(caller),
      await fixture.build(caller, { name: 'Other', doubleOptIn: true }),
    ];
    await fixture.subscribe(caller, one.id, { email: 'left@x.example' });
    await fixture.unsubscribe(caller, one.id, 'left@x.example');
    const table = ['email', ...addresses(2_500), 'left@x.example'].join('\n');
    await expect(imports.upload(caller, table, { listId: other.id })).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(imports.upload(caller, table, { listIds: newId() })).rejects.toMatchObject({
      kind: 'invalid',
    });
    for (let times = 0; times < 2; times += 1) {
      const begun = await imports.upload(caller, table, {
        listIds: `${one.id}, ${other.id}`,
        consent: 'Yes',
      });
      expect(await imports.ended(caller, begun)).toMatchObject({ status: 'COMPLETED', processed: 2_501 });
      for (const [list, count] of [
        [one, 2_500],
        [other, 2_501],
      ] as const) {
        expect(await fixture.countOf(caller, list.id)).toBe(count);
        expect(await fixture.recount(caller, list.id)).toBe(count);
      }
    }
  });

  it('appears once in the activity of new members, and not of existing ones', async () => {
    const { caller } = suite.buildProject();
    const [list, other] = [await fixture.build(caller), await fixture.build(caller, { name: 'Other' })];
    await fixture.subscribe(caller, other.id, { email: 'ada@x.example' });
    for (let times = 0; times < 2; times += 1)
      await imports.ended(
        caller,
        await imports.upload(caller, 'ada@x.example\nbob@x.example\n', { listIds: `${list.id},${other.id}` }),
      );
    const historyOf = async (email: string) => {
      const { items } = await suite.bus.call(contacts.list, caller, { search: email });
      const page = await suite.bus.call(activity.list, caller, { id: items[0]!.id });
      return page.items.flatMap(({ kind, data: { listName, source } }) =>
        kind.startsWith('list.') ? [[kind, listName, source]] : [],
      );
    };
    expect(await historyOf('ada@x.example')).toEqual([
      ['list.confirmed', 'News', 'IMPORT'],
      ['list.confirmed', 'Other', undefined],
    ]);
    const both = [...(await historyOf('bob@x.example'))].sort();
    expect(both).toEqual(['News', 'Other'].map((name) => ['list.confirmed', name, 'IMPORT']));
  });

  it('continues without a list that is deleted meanwhile, and reports that', async () => {
    const { caller } = suite.buildProject();
    const [removed, stored] = [await fixture.build(caller), await fixture.build(caller, { name: 'Kept' })];
    const begun = await imports.upload(caller, ['email', ...addresses(30_000)].join('\n'), {
      listIds: `${removed.id},${stored.id}`,
    });
    await eventually(async () => (await imports.get(caller, begun)).processed > 0, 'it began');
    await suite.bus.call(lists.delete, caller, { id: removed.id }, { timeoutMs: 20_000 });
    expect(await imports.ended(caller, begun)).toMatchObject({
      status: 'COMPLETED',
      processed: 30_000,
      created: 30_000,
      failed: 0,
    });
    expect(await fixture.countOf(caller, stored.id)).toBe(30_000);
    await eventually(async () => (await fixture.recount(caller, removed.id)) === 0, 'nobody is left in it');
    expect(await imports.errorsOf(caller, begun)).toEqual([
      { line: expect.any(Number), reason: expect.stringContaining(removed.id) },
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contacts, type Caller } from '@posthorn/contracts';
import { countDeltas, foldDeltas } from '../counts/fold-counts.js';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: BorrowedContacts;
let fixture: ReturnType<typeof listsFixture>;
beforeAll(async () => {
  suite = await borrowContactsSuite();
  fixture = listsFixture(suite);
});
afterAll(() => suite.stop());

const email = 'ann@example.org';
let caller: Caller;
let projectId: string;
beforeEach(() => {
  ({ caller, projectId } = suite.buildProject());
});

describe('the number of members', () => {
  it('always equals a recount, also during concurrent changes, with or without folded deltas', async () => {
    const { id } = await fixture.build(caller);
    const ofLists = countDeltas.find(({ deltas }) => deltas === 'list_count_deltas')!;
    const addresses = Array.from({ length: 12 }, (_, index) => `r${index}@example.org`);
    const storm = addresses.flatMap((each, index) => [
      fixture.subscribe(caller, id, { email: each, allowResubscribe: true }),
      fixture.unsubscribe(caller, id, each),
      fixture.subscribe(caller, id, { email: each, allowResubscribe: true }),
      ...(index % 3 === 0 ? [fixture.unsubscribe(caller, id, each)] : []),
    ]);
    let going = true;
    const watched = (async () => {
      while (going) {
        const [row] = await suite.database.query<{ counted: number; real: number }>(
          `SELECT (SELECT count(*) FROM memberships WHERE project_id = $1 AND list_id = $2 AND status = 'CONFIRMED')::int AS real,
             (SELECT coalesce(sum(confirmed), 0)::int FROM (
               SELECT confirmed FROM list_counts WHERE project_id = $1 AND list_id = $2
               UNION ALL SELECT confirmed FROM list_count_deltas WHERE project_id = $1 AND list_id = $2) AS parts) AS counted`,
          [projectId, id],
        );
        expect(row!.counted).toBe(row!.real);
        await foldDeltas(suite.database, ofLists, 7);
      }
    })();
    await Promise.all(storm);
    going = false;
    await watched;
    expect(await fixture.countOf(caller, id)).toBe(await fixture.recount(caller, id));
  });

  it('decreases with a deleted contact, also while it subscribes', async () => {
    const { id } = await fixture.build(caller);
    await fixture.subscribe(caller, id, { email });
    const [contact] = (await suite.bus.call(contacts.list, caller, {})).items;
    await Promise.all([
      suite.bus.call(contacts.delete, caller, { id: contact!.id }),
      ...Array.from({ length: 5 }, () => fixture.subscribe(caller, id, { email })),
    ]);
    const [stray] = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM memberships WHERE project_id = $1
       AND NOT EXISTS (SELECT FROM contacts WHERE contacts.project_id = $1 AND contacts.id = contact_id)`,
      [projectId],
    );
    expect(stray!.count).toBe(0);
    expect(await fixture.countOf(caller, id)).toBe(await fixture.recount(caller, id));
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contacts,
  events,
  personData,
  personParts,
  segments,
  type Caller,
  type PersonPart,
  type PersonPosition,
} from '@posthorn/contracts';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ada@example.org';

async function buildContact(): Promise<{ caller: Caller; id: string }> {
  const { caller } = suite.buildProject();
  return {
    caller,
    id: (await suite.bus.call(contacts.create, caller, { email, customFields: { plan: 'pro' } })).id,
  };
}

/** The rows, and how many each page had. */
async function whole(
  caller: Caller,
  id: string,
  part: PersonPart,
): Promise<{ rows: Record<string, unknown>[]; pages: number[] }> {
  const rows: object[] = [];
  const pages: number[] = [];
  for (let after: PersonPosition | undefined; ;) {
    const page = await suite.bus.call(personData.part, caller, { id, part, after });
    pages.push(page[part]!.length);
    rows.push(...page[part]!);
    if (!page.next) return { rows: rows as Record<string, unknown>[], pages };
    after = page.next;
  }
}

describe('all data of a person', () => {
  it('includes the data of all sources', async () => {
    const { caller, id } = await buildContact();
    const fixture = listsFixture(suite);
    const list = await fixture.build(caller);
    await fixture.subscribe(caller, list.id, { email });
    const segment = await suite.bus.call(segments.create, caller, {
      name: 'Pro',
      type: 'STATIC',
      trackMembership: true,
    });
    await suite.bus.call(segments.addMembers, caller, { id: segment.id, emails: [email] });
    for (const name of ['signup', 'paid'])
      await suite.bus.call(events.record, caller, { name, contactId: id, payload: { seats: 3 } });
    await suite.database.query(
      `INSERT INTO mail_summaries (project_id, contact_id, kind, count, first_at, last_at) VALUES ($1, $2, 'opened', 1, now(), now())`,
      [caller.projectId, id],
    );
    const parts = await Promise.all(
      personParts.map(async (part) => [part, (await whole(caller, id, part)).rows] as const),
    );
    expect(Object.fromEntries(parts)).toMatchObject({
      consents: [{ before: null, after: true }],
      memberships: [{ listId: list.id, listName: 'News', status: 'CONFIRMED' }],
      segments: [{ segmentId: segment.id, segmentName: 'Pro' }],
      history: [{ kind: 'segment.entered' }, { kind: 'list.confirmed' }],
      summaries: [
        { of: 'EMAIL', name: 'opened', count: 1 },
        { of: 'EVENT', name: 'paid', count: 1 },
        { of: 'EVENT', name: 'signup', count: 1 },
      ],
      events: [
        { name: 'paid', payload: { seats: 3 } },
        { name: 'signup', payload: { seats: 3 } },
      ],
    });
    for (const part of personParts)
      await expect(
        suite.bus.call(personData.part, suite.buildProject().caller, { id, part }),
      ).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each<[PersonPart, string, string]>([
    [
      'consents',
      '(project_id, contact_id, id, after, at, source)',
      `uuidv7(), true, now() - n / 3 * interval '1 second', 'API'`,
    ],
    [
      'memberships',
      '(project_id, contact_id, list_id, id, status, created_at)',
      `uuidv7(), uuidv7(), 'CONFIRMED', now() + n / 3 * interval '1 second'`,
    ],
    ['history', '(project_id, contact_id, id, kind, subject_id)', `uuidv7(), 'list.confirmed', uuidv7()`],
    ['summaries', '(project_id, contact_id, name, count, first_at, last_at)', `'n' || n, 1, now(), now()`],
    ['events', '(project_id, contact_id, id, name, payload, occurred_at)', `uuidv7(), 'n', '{}', now()`],
  ])('includes every row of a long part: %s', async (part, columns, values) => {
    const { caller, id } = await buildContact();
    const table =
      { history: 'contact_history', summaries: 'event_summaries', segments: 'segment_members' }[
        part as string
      ] ?? part;
    await suite.database.query(
      `INSERT INTO ${table} ${columns} SELECT $1, $2, ${values} FROM generate_series(1, 2500) AS n`,
      [caller.projectId, id],
    );
    const { rows, pages } = await whole(caller, id, part);
    const [row] = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE project_id = $1 AND contact_id = $2`,
      [caller.projectId, id],
    );
    expect([rows.length, new Set(rows.map((each) => each['id'] ?? each['name'])).size]).toEqual([
      row!.count,
      row!.count,
    ]);
    expect(pages).toEqual([1_000, 1_000, row!.count - 2_000]);
  });

  it('includes every segment of a contact in many segments', async () => {
    const { caller, id } = await buildContact();
    await suite.database.query(
      `WITH made AS (
         INSERT INTO segments (project_id, id, name, slug, type, track_membership, upkeep, cost_ms)
         SELECT $1, uuidv7(), 'S' || n, 's' || n, 'STATIC', false, 'MANUAL', 0 FROM generate_series(1, 1500) AS n RETURNING id
       ) INSERT INTO segment_members (project_id, segment_id, contact_id, since) SELECT $1, id, $2, now() FROM made`,
      [caller.projectId, id],
    );
    const { rows, pages } = await whole(caller, id, 'segments');
    expect([new Set(rows.map((row) => row['segmentId'])).size, pages]).toEqual([1_500, [1_000, 500]]);
  });

  it('limits events per page by the size of their payloads', async () => {
    const { caller, id } = await buildContact();
    await suite.database.query(
      `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at)
       SELECT $1, uuidv7(), $2, 'n', jsonb_build_object('words', repeat('x', 60000)), now() FROM generate_series(1, 50)`,
      [caller.projectId, id],
    );
    expect((await whole(caller, id, 'events')).pages).toEqual([34, 16]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, type Caller, type ExportContacts, type ExportedContacts } from '@posthorn/contracts';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

async function pagesOf(caller: Caller, query: ExportContacts): Promise<ExportedContacts[]> {
  const pages: ExportedContacts[] = [];
  do
    pages.push(
      await suite.bus.call(contacts.export, caller, { ...query, after: pages.at(-1)?.next ?? undefined }),
    );
  while (pages.at(-1)!.next);
  return pages;
}

const fill = (projectId: string, count: number, fields = '{}') =>
  suite.database.query(
    `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields)
     SELECT $1, gen_random_uuid(), 'r' || place || '@example.org', place % 2 = 0, $3::jsonb FROM generate_series(1, $2::int) place`,
    [projectId, count, fields],
  );

describe('an export', () => {
  it('contains each matching contact once, newest first, in pages of a thousand', async () => {
    const { caller, projectId } = suite.buildProject();
    await fill(projectId, 2_500);
    const pages = await pagesOf(caller, {});
    expect(pages.map(({ items }) => items.length)).toEqual([1_000, 1_000, 500]);
    const wanted = await suite.database.query<{ id: string }>(
      `SELECT id FROM contacts WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
      [projectId],
    );
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(wanted.map(({ id }) => id));
    const [some] = await pagesOf(caller, { subscribed: true, search: 'R12@' });
    expect(some!.items.map(({ email }) => email)).toEqual(['r12@example.org']);
    expect(await pagesOf(suite.buildProject().caller, {})).toMatchObject([{ items: [], next: null }]);
  });

  it('has more and smaller pages when contacts are large', async () => {
    const { caller, projectId } = suite.buildProject();
    await fill(projectId, 300, JSON.stringify({ note: 'x'.repeat(60_000) }));
    const pages = await pagesOf(caller, {});
    expect(pages.length).toBeGreaterThan(3);
    expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(300);
  });
});

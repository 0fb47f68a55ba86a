import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  listEvents,
  lists,
  templateNotFound,
  templates,
  type Caller,
  type Template,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { watchMarks } from '../testing/segment-marks.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: ContactsSuite;
let fixture: ReturnType<typeof listsFixture>;
let leave: () => Promise<void>;
const templateId = newId();
const template: Template = {
  id: templateId,
  projectId: newId(),
  name: 'Confirm',
  description: null,
  subject: 'Confirm',
  body: '<p>Please.</p>',
  format: 'html',
  from: null,
  fromName: null,
  replyTo: null,
  emailCategory: 'TRANSACTIONAL',
  version: 1,
  currentVersion: 1,
  createdAt: new Date(),
  updatedAt: new Date(),
};
beforeAll(async () => {
  suite = await startContactsSuite();
  fixture = listsFixture(suite);
  leave = await standIn(suite.connection, templates.get, async ({ id }) =>
    id === templateId ? template : Promise.reject(templateNotFound()),
  );
});
afterAll(async () => {
  await leave();
  await suite.stop();
});

let caller: Caller;
let projectId: string;
beforeEach(() => {
  ({ caller, projectId } = suite.buildProject());
});
const get = (id: string) => suite.bus.call(lists.get, caller, { id });

describe('a list', () => {
  it('is created with a name only, changed, and published', async () => {
    const made = await fixture.build(caller);
    expect(made).toEqual({
      id: made.id,
      projectId,
      name: 'News',
      description: null,
      doubleOptIn: false,
      confirmationTemplateId: null,
      redirectUrl: null,
      memberCount: 0,
      createdAt: made.createdAt,
      updatedAt: made.createdAt,
    });
    const changes = {
      name: 'Offers',
      doubleOptIn: true,
      confirmationTemplateId: templateId,
      redirectUrl: 'https://shop.example/a',
    };
    const changed = await suite.bus.call(lists.update, caller, {
      id: made.id,
      description: 'Weekly',
      ...changes,
    });
    expect(changed).toMatchObject({ ...changes, description: 'Weekly' });
    expect(await get(made.id)).toEqual(changed);
    expect(await suite.eventsOf(projectId, listEvents.changed)).toMatchObject([
      { listId: made.id },
      { listId: made.id },
    ]);
  });

  it('is not cleared by null, and publishes no change that changes nothing', async () => {
    const made = await fixture.build(caller, {
      description: 'Weekly',
      confirmationTemplateId: templateId,
      redirectUrl: 'https://shop.example',
    });
    const nothing = { description: null, confirmationTemplateId: null, redirectUrl: null };
    expect(await suite.bus.call(lists.update, caller, { id: made.id, ...nothing })).toEqual(made);
    expect(await suite.bus.call(lists.update, caller, { id: made.id })).toEqual(made);
    expect(await suite.eventsOf(projectId, listEvents.changed)).toHaveLength(1);
    expect(await fixture.build(caller, nothing)).toMatchObject(nothing);
  });

  it.each([
    'http://shop.example',
    'javascript:alert(1)',
    'shop.example',
    'https://',
    'https://user:word@shop.example',
    '//shop.example',
  ])('refuses to redirect to %s', async (redirectUrl) => {
    await expect(fixture.build(caller, { redirectUrl })).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ path: ['redirectUrl'], code: 'invalid_format' }] },
    });
  });

  it('refuses a template that the project does not have', async () => {
    await expect(fixture.build(caller, { confirmationTemplateId: newId() })).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ path: ['confirmationTemplateId'], code: 'not_found' }] },
    });
  });

  it('belongs to its project, whose lists are shown newest first', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await fixture.build(caller, { name })).id);
    const first = await suite.bus.call(lists.list, caller, { limit: 2, withTotal: true });
    const rest = await suite.bus.call(lists.list, caller, { limit: 2, after: first.next! });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
    expect([first.total, first.hasMore, rest.hasMore]).toEqual([3, true, false]);
    const [id] = ids as [string];
    const outsider = suite.buildProject().caller;
    for (const requested of [
      suite.bus.call(lists.get, outsider, { id }),
      suite.bus.call(lists.update, outsider, { id, name: 'mine' }),
      suite.bus.call(lists.delete, outsider, { id }),
      suite.bus.call(lists.members, outsider, { id }),
      fixture.subscribe(outsider, id, { email: 'ann@example.org' }),
      fixture.unsubscribe(outsider, id, 'ann@example.org'),
    ])
      await expect(requested).rejects.toMatchObject({ kind: 'not_found', message: 'No such list' });
    expect((await suite.bus.call(lists.list, outsider, { withTotal: true })).total).toBe(0);
  });
});

describe('the members of a list', () => {
  it('are shown newest first, by status, with the exact total', async () => {
    const { id } = await fixture.build(caller);
    for (const name of ['ann', 'ben', 'cleo'])
      await fixture.subscribe(caller, id, { email: `${name}@example.org` });
    await fixture.unsubscribe(caller, id, 'ben@example.org');
    const all = await suite.bus.call(lists.members, caller, { id, limit: 2, withTotal: true });
    const rest = await suite.bus.call(lists.members, caller, { id, limit: 2, after: all.next! });
    expect([...all.items, ...rest.items].map(({ email, status }) => `${email} ${status}`)).toEqual([
      ...['cleo@example.org CONFIRMED', 'ben@example.org UNSUBSCRIBED', 'ann@example.org CONFIRMED'],
    ]);
    expect([all.total, rest.hasMore]).toEqual([3, false]);
    const left = await suite.bus.call(lists.members, caller, { id, status: 'UNSUBSCRIBED', withTotal: true });
    expect([left.items.map(({ email }) => email), left.total]).toEqual([['ben@example.org'], 1]);
    const page = await suite.bus.call(lists.members, caller, { id, status: 'CONFIRMED', limit: 1 });
    const next = await suite.bus.call(lists.members, caller, {
      id,
      status: 'CONFIRMED',
      limit: 1,
      after: page.next!,
    });
    expect([...page.items, ...next.items].map(({ email }) => email)).toEqual([
      'cleo@example.org',
      'ann@example.org',
    ]);
  });
});

describe('the deletion of a list', () => {
  it('deletes its memberships, and no contacts or other lists', async () => {
    const [list, other] = [await fixture.build(caller), await fixture.build(caller)];
    for (const { id } of [list, other]) await fixture.subscribe(caller, id, { email: 'ann@example.org' });
    await suite.bus.call(lists.delete, caller, { id: list.id });
    await expect(get(list.id)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(suite.bus.call(lists.delete, caller, { id: list.id })).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect([await fixture.recount(caller, list.id), await fixture.countOf(caller, other.id)]).toEqual([0, 1]);
    expect(await suite.eventsOf(projectId, listEvents.deleted)).toMatchObject([{ listId: list.id }]);
    expect((await suite.bus.call(lists.list, caller, { withTotal: true })).total).toBe(1);
  });

  it('continues after the answer for a large list, and ends', async () => {
    const marks = await watchMarks(suite.database, projectId);
    const { id } = await fixture.build(caller);
    await suite.database.query(
      `INSERT INTO memberships (project_id, list_id, contact_id, id, status)
       SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), 'CONFIRMED' FROM generate_series(1, 12000)`,
      [projectId, id],
    );
    await suite.bus.call(lists.delete, caller, { id });
    expect(await fixture.recount(caller, id)).toBeLessThanOrEqual(7_000);
    await eventually(async () => (await fixture.recount(caller, id)) === 0, 'none is left');
    await eventually(
      async () =>
        (await suite.database.query(`SELECT FROM work_items WHERE kind = 'contacts.deleted-lists'`))
          .length === 0,
      'it is done',
    );
    expect(new Set(await marks()).size).toBe(12_000);
    const commits = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM seen_marks WHERE project_id = $1 GROUP BY xmin::text ORDER BY 1 DESC`,
      [projectId],
    );
    expect(commits.map(({ count }) => count)).toEqual([5_000, 5_000, 2_000]);
  });

  it('leaves no membership of concurrent subscribers', async () => {
    const { id } = await fixture.build(caller);
    const subscribed = Array.from({ length: 30 }, (_, index) =>
      fixture.subscribe(caller, id, { email: `r${index}@example.org` }).then(
        () => 'in',
        ({ kind }: { kind: string }) => kind,
      ),
    );
    await subscribed[0];
    await suite.bus.call(lists.delete, caller, { id });
    const outcomes = new Set(await Promise.all(subscribed));
    expect([...outcomes].filter((outcome) => outcome !== 'in' && outcome !== 'not_found')).toEqual([]);
    expect(await suite.database.query(`SELECT FROM memberships WHERE project_id = $1`, [projectId])).toEqual(
      [],
    );
    expect(await suite.database.query(`SELECT FROM list_counts WHERE project_id = $1`, [projectId])).toEqual(
      [],
    );
  });
});

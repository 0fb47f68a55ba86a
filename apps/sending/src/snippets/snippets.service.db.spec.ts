import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { snippets, type Caller, type CreateSnippet, type Snippet } from '@posthorn/contracts';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const build = (
  caller: Caller,
  name: string,
  body = '<p>Bye</p>',
  more: Partial<CreateSnippet> = {},
): Promise<Snippet> => suite.bus.call(snippets.create, caller, { name, body, ...more });
const update = (caller: Caller, id: string, changes: Partial<CreateSnippet>) =>
  suite.bus.call(snippets.update, caller, { id, ...changes });
const circular = {
  kind: 'invalid',
  details: { errors: [{ path: ['body'], code: 'not_allowed', message: expect.anything() }] },
};
const versionsOf = async ({ projectId, id }: Snippet) =>
  (
    await suite.database.query<{ body: string }>(
      `SELECT body FROM snippet_versions WHERE project_id = $1 AND snippet_id = $2 ORDER BY created_at, id`,
      [projectId, id],
    )
  ).map(({ body }) => body);

describe('a snippet', () => {
  it('is created, changed and removed; its versions are kept', async () => {
    const { caller } = await suite.buildProject();
    const made = await build(caller, 'footer');
    expect(await suite.bus.call(snippets.get, caller, { id: made.id })).toEqual(made);
    expect(await update(caller, made.id, { description: 'x' })).toMatchObject({
      description: 'x',
      body: '<p>Bye</p>',
    });
    expect(await update(caller, made.id, { body: '<p>{{ name }}</p>', description: null })).toMatchObject({
      description: null,
    });
    await suite.bus.call(snippets.delete, caller, { id: made.id });
    await expect(suite.bus.call(snippets.get, caller, { id: made.id })).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(await versionsOf(made)).toEqual(['<p>Bye</p>', '<p>{{ name }}</p>']);
  });

  it('has a unique name in its project', async () => {
    const { caller } = await suite.buildProject();
    await build(caller, 'footer');
    const other = await build(caller, 'header');
    const taken = { kind: 'conflict', message: 'A snippet with this name already exists' };
    await expect(build(caller, 'footer')).rejects.toMatchObject(taken);
    await expect(update(caller, other.id, { name: 'footer' })).rejects.toMatchObject(taken);
    await build((await suite.buildProject()).caller, 'footer');
    const outcomes = await Promise.allSettled([build(caller, 'both'), build(caller, 'both')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('with invalid Liquid is refused with its position', async () => {
    const { caller } = await suite.buildProject();
    await expect(build(caller, 'bad', 'x\n{{ open')).rejects.toMatchObject({
      details: {
        errors: [
          { path: ['body'], code: 'invalid_format', message: expect.stringMatching(/^line 2, column 1: /) },
        ],
      },
    });
  });

  it('never includes itself, directly or indirectly', async () => {
    const { caller } = await suite.buildProject();
    await expect(build(caller, 'self', '{{> self}}')).rejects.toMatchObject(circular);
    const a = await build(caller, 'a', '{{> b}}');
    const b = await build(caller, 'b', '{% render "c" %}');
    await expect(build(caller, 'c', '{{> a}}')).rejects.toMatchObject(circular);
    const c = await build(caller, 'c', 'end');
    await expect(update(caller, c.id, { body: '{{> b}}' })).rejects.toMatchObject(circular);
    await expect(update(caller, b.id, { name: 'b2', body: '{{> a}}{{> b2}}' })).rejects.toMatchObject(
      circular,
    );
    await update(caller, a.id, { body: 'free' });
    await update(caller, c.id, { body: '{{> a}}' });
    expect(await versionsOf(c)).toEqual(['end', '{{> a}}']);
  });

  it('never includes itself after concurrent changes', async () => {
    const { caller } = await suite.buildProject();
    const [left, right] = [await build(caller, 'left'), await build(caller, 'right')];
    const outcomes = await Promise.allSettled([
      update(caller, left.id, { body: '{{> right}}' }),
      update(caller, right.id, { body: '{{> left}}' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a list of snippets', () => {
  it('is searched by name and description, page by page, and counted', async () => {
    const { caller } = await suite.buildProject();
    await build(caller, 'footer', 'x', { description: 'Below every mail' });
    await build(caller, 'header');
    await build(caller, 'mail_logo');
    const list = async (query: object) => {
      const { items, total, hasMore, next } = await suite.bus.call(snippets.list, caller, {
        withTotal: true,
        ...query,
      });
      return { names: items.map(({ name }) => name), total, hasMore, next };
    };
    expect(await list({})).toMatchObject({
      names: ['mail_logo', 'header', 'footer'],
      total: 3,
      hasMore: false,
    });
    expect(await list({ search: 'MAIL' })).toMatchObject({ names: ['mail_logo', 'footer'], total: 2 });
    const first = await list({ limit: 2 });
    expect(await list({ limit: 2, after: first.next! })).toMatchObject({ names: ['footer'], hasMore: false });
    expect(
      (await suite.bus.call(snippets.list, (await suite.buildProject()).caller, { withTotal: true })).total,
    ).toBe(0);
  });
});

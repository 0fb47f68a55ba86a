import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  domains,
  templateEvents,
  templates,
  templateUses,
  type Caller,
  type CreateTemplate,
  type Template,
  type TemplateUse,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { answerCalls, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
/** What campaigns and workflows say of a template; silent where it is null. */
let used: Record<keyof typeof templateUses, TemplateUse | null> = {
  campaigns: { used: false },
  workflows: { used: false },
};

beforeAll(async () => {
  suite = await startSendingSuite();
  for (const name of ['campaigns', 'workflows'] as const)
    await answerCalls(suite.connection, templateUses[name], () => used[name]);
});
afterAll(() => suite.stop());

const wanted = (overrides: Partial<CreateTemplate> = {}): CreateTemplate => ({
  name: 'Welcome',
  subject: 'Hello {{ name }}',
  body: '<p>Hello</p>',
  ...overrides,
});
const build = (caller: Caller, overrides: Partial<CreateTemplate> = {}): Promise<Template> =>
  suite.bus.call(templates.create, caller, wanted(overrides));
const refused = (path: string, code: string, message?: RegExp) => ({
  kind: 'invalid',
  details: {
    errors: [
      {
        path: [path],
        code,
        ...(message ? { message: expect.stringMatching(message) } : { message: expect.anything() }),
      },
    ],
  },
});

describe('a template', () => {
  it('is created with defaults, and read as it was written', async () => {
    const { caller, domain } = await suite.buildProject();
    const plain = await build(caller);
    expect(plain).toMatchObject({
      ...wanted(),
      description: null,
      format: 'html',
      from: null,
      fromName: null,
      replyTo: null,
      emailCategory: 'MARKETING',
      version: 1,
      currentVersion: 1,
    });
    const full = wanted({
      from: `hello@mail.${domain}`,
      fromName: 'Ada',
      replyTo: 'x@y.example',
      emailCategory: 'TRANSACTIONAL',
      description: 'd',
    });
    const made = await build(caller, full);
    expect(await suite.bus.call(templates.get, caller, { id: made.id })).toEqual({ ...made, ...full });
  });

  it('has a sender that the project may use', async () => {
    const { caller } = await suite.buildProject();
    for (const from of ['a@nobody.example', 'p-000000000000@sandbox.test']) {
      const requested = build(caller, { from });
      if (from.endsWith('sandbox.test'))
        await expect(requested).rejects.toMatchObject({ kind: 'unavailable' });
      else await expect(requested).rejects.toMatchObject(refused('from', 'not_verified'));
    }
    const { id } = await build(caller);
    await expect(
      suite.bus.call(templates.update, caller, { id, from: 'a@nobody.example' }),
    ).rejects.toMatchObject(refused('from', 'not_verified'));
    await suite.bus.call(domains.verify, caller, { domain: `own-${caller.projectId.slice(-8)}.example` });
    await suite.bus.call(templates.update, caller, {
      id,
      from: `a@own-${caller.projectId.slice(-8)}.example`,
    });
  });

  it('with invalid Liquid is refused with line and column', async () => {
    const { caller } = await suite.buildProject();
    await expect(build(caller, { body: 'a\n b {{ open' })).rejects.toMatchObject(
      refused('body', 'invalid_format', /^line 2, column 4: /),
    );
    await expect(build(caller, { subject: '{% if x %}' })).rejects.toMatchObject(
      refused('subject', 'invalid_format', /^line 1, column 1: /),
    );
    const { id } = await build(caller);
    await expect(
      suite.bus.call(templates.update, caller, { id, body: '{{ a | nosuch }}' }),
    ).rejects.toMatchObject(refused('body', 'invalid_format'));
  });

  it('has a new version only where its content changes', async () => {
    const { caller, domain } = await suite.buildProject();
    const { id } = await build(caller);
    const change = async (changes: Partial<CreateTemplate>) =>
      (await suite.bus.call(templates.update, caller, { id, ...changes })).version;
    expect(await change({ name: 'Other', description: 'x', emailCategory: 'TRANSACTIONAL' })).toBe(1);
    expect(await change({ subject: 'Hello {{ name }}' })).toBe(1);
    expect(await change({})).toBe(1);
    expect(await change({ subject: 'Two' })).toBe(2);
    expect(await change({ body: '<p>Three</p>' })).toBe(3);
    expect(await change({ from: `x@${domain}`, fromName: 'X', replyTo: 'a@b.example' })).toBe(4);
    expect(await change({ from: null })).toBe(5);
    const { items, hasMore } = await suite.bus.call(templates.versions, caller, { id, limit: 3 });
    expect([items.map(({ version }) => version), hasMore]).toEqual([[5, 4, 3], true]);
    const all = await suite.bus.call(templates.versions, caller, { id, withTotal: true });
    expect(all.total).toBe(5);
    expect(all.items.map(({ subject, body }) => [subject, body]).slice(-2)).toEqual([
      ['Two', '<p>Hello</p>'],
      ['Hello {{ name }}', '<p>Hello</p>'],
    ]);
  });

  it('keeps both of two concurrent changes, each as a version', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await build(caller);
    await Promise.all([
      suite.bus.call(templates.update, caller, { id, subject: 'Two' }),
      suite.bus.call(templates.update, caller, { id, body: '<p>Three</p>' }),
    ]);
    expect(await suite.bus.call(templates.get, caller, { id })).toMatchObject({
      subject: 'Two',
      body: '<p>Three</p>',
      version: 3,
    });
    expect((await suite.bus.call(templates.versions, caller, { id })).items).toHaveLength(3);
  });

  it('belongs to its project', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await build(caller);
    const outsider = (await suite.buildProject()).caller;
    const requests = [
      () => suite.bus.call(templates.get, outsider, { id }),
      () => suite.bus.call(templates.update, outsider, { id, name: 'x' }),
      () => suite.bus.call(templates.delete, outsider, { id }),
      () => suite.bus.call(templates.versions, outsider, { id }),
      () => suite.bus.call(templates.preview, outsider, { id }),
    ];
    for (const request of requests)
      await expect(request()).rejects.toMatchObject({ kind: 'not_found', message: 'No such template' });
  });

  it('publishes its changes', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await build(caller);
    await suite.bus.call(templates.update, caller, { id, subject: 'Two' });
    await suite.bus.call(templates.delete, caller, { id });
    const published = await suite.database.query<{ event: string; items: { version: number }[] }>(
      `SELECT event_name AS event, items FROM outbox WHERE project_id = $1 AND event_name LIKE 'sending.template.%' ORDER BY id`,
      [caller.projectId],
    );
    expect(published.map(({ event, items }) => [event, items[0]!.version])).toEqual([
      [templateEvents.changed.name, 1],
      [templateEvents.changed.name, 2],
      [templateEvents.deleted.name, 2],
    ]);
  });
});

describe('a list of templates', () => {
  it('is searched by name alone, filtered by category, and counted', async () => {
    const { caller } = await suite.buildProject();
    await build(caller, { name: 'Spring NEWS', description: 'summer' });
    await build(caller, { name: 'Autumn news', emailCategory: 'TRANSACTIONAL' });
    await build(caller, { name: '100% off_', subject: 'news' });
    const list = async (query: object) => {
      const { items, total } = await suite.bus.call(templates.list, caller, { ...query, withTotal: true });
      return [items.map(({ name }) => name), total];
    };
    expect(await list({})).toEqual([['100% off_', 'Autumn news', 'Spring NEWS'], 3]);
    expect(await list({ search: 'NeWs' })).toEqual([['Autumn news', 'Spring NEWS'], 2]);
    expect(await list({ search: 'summer' })).toEqual([[], 0]);
    expect(await list({ search: '0%' })).toEqual([['100% off_'], 1]);
    expect(await list({ search: 'f_' })).toEqual([['100% off_'], 1]);
    expect(await list({ emailCategory: 'TRANSACTIONAL', search: 'news' })).toEqual([['Autumn news'], 1]);
  });

  it('is read page by page, with shorter pages where bodies are large', async () => {
    const { caller } = await suite.buildProject();
    const body = `<p>${'x'.repeat(1_000_000)}</p>`;
    for (let at = 0; at < 6; at += 1) await build(caller, { name: `t${at}`, body });
    const first = await suite.bus.call(templates.list, caller, { limit: 6 });
    expect([first.items.length, first.hasMore]).toEqual([4, true]);
    const second = await suite.bus.call(templates.list, caller, { limit: 6, after: first.next! });
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual([
      't5',
      't4',
      't3',
      't2',
      't1',
      't0',
    ]);
    expect(second.hasMore).toBe(false);
  });
});

describe('a deleted template', () => {
  it('keeps its versions for messages that were accepted with them', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await build(caller);
    expect(await suite.bus.call(templates.delete, caller, { id })).toEqual({ id });
    await expect(suite.bus.call(templates.get, caller, { id })).rejects.toMatchObject({ kind: 'not_found' });
    const stored = await suite.database.query(
      `SELECT version FROM template_versions WHERE project_id = $1 AND template_id = $2`,
      [caller.projectId, id],
    );
    expect(stored).toEqual([{ version: 1 }]);
    expect((await suite.bus.call(templates.list, caller, { withTotal: true })).total).toBe(0);
  });

  it('is not deleted while something may use it, or while that is unknown', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await build(caller);
    for (const name of ['campaigns', 'workflows'] as const) {
      used = { ...used, [name]: { used: true } };
      await expect(suite.bus.call(templates.delete, caller, { id })).rejects.toMatchObject({
        kind: 'conflict',
      });
      used = { ...used, [name]: null };
      await expect(suite.bus.call(templates.delete, caller, { id })).rejects.toMatchObject({
        kind: expect.stringMatching(/unavailable|timeout/),
      });
      used = { ...used, [name]: { used: false } };
    }
    await expect(suite.bus.call(templates.delete, caller, { id: newId() })).rejects.toMatchObject({
      kind: 'not_found',
    });
    await suite.bus.call(templates.delete, caller, { id });
  });
});

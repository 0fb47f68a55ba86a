import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { snippets, templates, type Caller, type CreateTemplate } from '@posthorn/contracts';
import { DatabaseClock, newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { Rendering } from '../rendering/rendering.js';
import { SnippetsRepository } from '../snippets/snippets.repository.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { TemplateTexts } from './template-texts.js';
import { TemplateTextsRepository } from './template-texts.repository.js';
import { TemplateDirectory } from './template-directory.js';
import { TemplatesRepository } from './templates.repository.js';

let suite: SendingSuite;
let rendering: Rendering;
beforeAll(async () => {
  suite = await startSendingSuite();
  rendering = new Rendering(new DatabaseClock(suite.database));
});
afterAll(() => Promise.all([suite.stop(), rendering.onModuleDestroy()]));

const directory = () =>
  new TemplateDirectory(
    new TemplatesRepository(suite.database),
    new SnippetsRepository(suite.database),
    rendering,
  );
const build = (caller: Caller, wanted: Partial<CreateTemplate> = {}) =>
  suite.bus.call(templates.create, caller, {
    name: 'Welcome',
    subject: 'Hello',
    body: '<p>Hello</p>',
    ...wanted,
  });
const snippet = (caller: Caller, name: string, body: string) =>
  suite.bus.call(snippets.create, caller, { name, body });
const unknown = {
  kind: 'invalid',
  details: { errors: [{ path: ['template'], code: 'not_found', message: expect.anything() }] },
};

describe('the content of a send', () => {
  it('is frozen with the version of its template and the sender of that', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    const { id } = await build(caller, { from: `a@${domain}`, fromName: 'Ada', replyTo: 'x@y.example' });
    expect(await directory().resolve(projectId, { templateId: id })).toEqual({
      templateId: id,
      templateVersion: 1,
      subject: 'Hello',
      from: { email: `a@${domain}`, name: 'Ada' },
      replyTo: { email: 'x@y.example' },
      category: 'MARKETING',
      snippetVersions: {},
      liquid: false,
    });
    const own = await directory().resolve(projectId, { templateId: id, subject: 'Mine {{ x }}' });
    expect(own).toMatchObject({ subject: 'Mine {{ x }}', liquid: true, templateVersion: 1 });
  });

  it('is that of the call where there is no template', async () => {
    const { projectId } = await suite.buildProject();
    expect(await directory().resolve(projectId, { subject: 'a', html: '<p>b</p>' })).toEqual({
      templateId: null,
      templateVersion: null,
      subject: 'a',
      from: null,
      replyTo: null,
      category: 'TRANSACTIONAL',
      snippetVersions: {},
      liquid: false,
    });
    await expect(directory().resolve(projectId, { subject: 'a', html: '\n{{' })).rejects.toMatchObject({
      details: {
        errors: [
          { path: ['body'], code: 'invalid_format', message: expect.stringMatching(/^line 2, column 1/) },
        ],
      },
    });
  });

  it('is frozen with the current snippets, nested ones included', async () => {
    const { caller, projectId } = await suite.buildProject();
    await snippet(caller, 'outer', '{{> inner}}');
    const inner = await snippet(caller, 'inner', 'one');
    await snippet(caller, 'other', 'x');
    const { id } = await build(caller, { subject: '{{> outer}}', body: '{{> gone}}' });
    const resolved = await directory().resolve(projectId, { templateId: id });
    expect([Object.keys(resolved.snippetVersions).sort(), resolved.liquid]).toEqual([
      ['inner', 'outer'],
      true,
    ]);
    await suite.bus.call(snippets.update, caller, { id: inner.id, body: 'two' });
    const later = await directory().resolve(projectId, { templateId: id, html: '<p>{{> other}}</p>' });
    expect(Object.keys(later.snippetVersions).sort()).toEqual(['inner', 'other', 'outer']);
    expect(later.snippetVersions['inner']).not.toBe(resolved.snippetVersions['inner']);
    const templateTexts = new TemplateTexts(new TemplateTextsRepository(suite.database));
    const bodies = async (versions: Record<string, string>) => {
      const loaded = await templateTexts.load(
        [],
        Object.values(versions).map((version) => ({ projectId, id: version })),
      );
      return loaded.snippet({ projectId, id: versions['inner']! })?.body;
    };
    expect([
      await bodies(resolved.snippetVersions),
      await bodies(later.snippetVersions),
      await bodies(resolved.snippetVersions),
    ]).toEqual(['one', 'two', 'one']);
  });

  it('cannot use a template that is unknown, deleted or of another project', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { id } = await build(caller);
    const outsider = (await suite.buildProject()).projectId;
    for (const [project, template] of [
      [projectId, newId()],
      [outsider, id],
    ] as const) {
      await expect(directory().resolve(project, { templateId: template })).rejects.toMatchObject(unknown);
    }
    await suite.database.query(`DELETE FROM templates WHERE project_id = $1 AND id = $2`, [projectId, id]);
    await expect(directory().resolve(projectId, { templateId: id })).rejects.toMatchObject(unknown);
  });

  it('is cached for a second, except for templates that were not found', async () => {
    const { caller, projectId } = await suite.buildProject();
    const one = directory();
    let id = '';
    const isRemembered = async () => {
      ({ id } = await build(caller));
      expect(await one.resolve(projectId, { templateId: id })).toMatchObject({ templateVersion: 1 });
      await suite.bus.call(templates.update, caller, { id, subject: 'Two' });
      const { templateVersion, subject } = await one.resolve(projectId, { templateId: id });
      return templateVersion === 1 && subject === 'Hello';
    };
    await eventually(isRemembered, 'the first version is taken within a second');
    const changed = async () => (await one.resolve(projectId, { templateId: id })).templateVersion === 2;
    await eventually(changed, 'the change is known');
  });
});

describe('a version', () => {
  it('can be loaded after its template is deleted, in its compiled form', async () => {
    const { caller, projectId } = await suite.buildProject();
    const [plain, other] = [await build(caller), await build(caller, { body: '<p>Other</p>' })];
    await suite.bus.call(templates.update, caller, { id: plain.id, body: '<p>Two</p>' });
    await suite.database.query(`DELETE FROM templates WHERE project_id = $1`, [projectId]);
    const ref = (templateId: string, version: number) => ({ projectId, templateId, version });
    const loaded = await new TemplateTexts(new TemplateTextsRepository(suite.database)).load(
      [ref(plain.id, 1), ref(plain.id, 2), ref(other.id, 1), ref(other.id, 2)],
      [],
    );
    expect([
      loaded.template(ref(plain.id, 1))?.html,
      loaded.template(ref(plain.id, 2))?.html,
      loaded.template(ref(other.id, 1))?.html,
    ]).toEqual(['<p>Hello</p>', '<p>Two</p>', '<p>Other</p>']);
    expect(loaded.template(ref(other.id, 2))).toBeUndefined();
  });
});

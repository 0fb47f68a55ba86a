import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contacts,
  snippets,
  templates,
  type Caller,
  type Contact,
  type CreateTemplate,
  type LintTemplate,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { answerCalls, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

/** Threads are begun when they are first needed. */

let suite: SendingSuite;
const ada: Contact = {
  id: newId(),
  projectId: newId(),
  email: 'ada@example.com',
  subscribed: true,
  customFields: { plan: 'pro', name: 'Ada' },
  createdAt: new Date(),
  updatedAt: new Date(),
};
beforeAll(async () => {
  suite = await startSendingSuite();
  await answerCalls(suite.connection, contacts.get, ({ id }) => (id === ada.id ? ada : null));
});
afterAll(() => suite.stop());

async function previewed(
  caller: Caller,
  wanted: Partial<CreateTemplate>,
  requested: { data?: Record<string, unknown>; contactId?: string } = {},
) {
  const { id } = await suite.bus.call(templates.create, caller, {
    name: 'Welcome',
    subject: 'Hello',
    body: '<p>Hello</p>',
    ...wanted,
  });
  return suite.bus.call(templates.preview, caller, { id, ...requested });
}
const lint = (caller: Caller, wanted: LintTemplate) => suite.bus.call(templates.lint, caller, wanted);

describe('a preview', () => {
  it('shows the rendered mail and the missing variables', async () => {
    const { caller } = await suite.buildProject();
    await suite.bus.call(snippets.create, caller, {
      name: 'footer',
      body: '<a href="{{ unsubscribe_url }}">{{ project.motto ?? "Bye" }}</a>',
    });
    const shown = await previewed(
      caller,
      { subject: 'Hi {{ name ?? "friend" }}', body: '<p>{{ name }} & {{ plan }}</p>{{> footer}}{{> gone}}' },
      { data: { name: '<Grace>' } },
    );
    expect(shown).toEqual({
      subject: 'Hi <Grace>',
      html: '<p>&lt;Grace&gt; & </p><a href="https://example.com/u/preview">Bye</a>',
      text: expect.stringContaining('<Grace> &'),
      size: 70,
      missing: ['plan', 'project.motto'],
      findings: [expect.objectContaining({ rule: 'unknown_snippet', place: 'line 1, column 43' })],
    });
  });

  it('uses the fields of the contact, which data overrides', async () => {
    const { caller } = await suite.buildProject();
    const body = '{{ name }} {{ plan }} {{ contact.email }} {{ contact.data.plan }} {{ project.name }}';
    const shown = await previewed(caller, { body }, { contactId: ada.id, data: { name: 'Grace' } });
    expect(shown).toMatchObject({
      html: 'Grace pro ada@example.com pro Analytical &lt;Engines&gt;',
      missing: [],
    });
  });

  it('that runs endlessly or grows without bound is refused', async () => {
    const { caller } = await suite.buildProject();
    const loop = '{% for i in (1..3000) %}{% for j in (1..3000) %}{% assign x = j %}{% endfor %}{% endfor %}';
    for (const body of [loop, '{% for i in (1..3000) %}' + 'x'.repeat(1_000) + '{% endfor %}']) {
      await expect(previewed(caller, { body })).rejects.toMatchObject({
        kind: 'invalid',
        message: expect.stringMatching(/cannot be rendered: body/),
      });
    }
  });

  it('of MJML shows what was compiled when it was saved', async () => {
    const { caller } = await suite.buildProject();
    const mjml = (text: string) =>
      `<mjml><mj-head><mj-style inline="inline">.big{background:#ffcc00}</mj-style></mj-head><mj-body><mj-section><mj-column><mj-text css-class="big">${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
    const shown = await previewed(
      caller,
      { format: 'mjml', body: mjml('Hello {{ name ?? "you" }}') },
      { data: { name: 'Ada' } },
    );
    expect(shown.html).toMatch(/^<!doctype html>/i);
    expect(shown.html).toContain('Hello Ada');
    expect(shown.html).not.toMatch(/fonts\.|https:/);
    expect(shown.html).toMatch(/class="big" style="[^"]*background: #ffcc00/);
    const refused = (message: RegExp) => ({
      details: {
        errors: [{ path: ['body'], code: 'invalid_format', message: expect.stringMatching(message) }],
      },
    });
    await expect(previewed(caller, { format: 'mjml', body: '<p>Hello</p>' })).rejects.toMatchObject(
      refused(/MJML begins with <mjml>/),
    );
    await expect(
      previewed(caller, { format: 'mjml', body: mjml('x').replace('mj-text', 'mj-nothing') }),
    ).rejects.toMatchObject({
      kind: 'invalid',
    });
    const loose = mjml('x').replace('<mj-text', '\n{% if a %}<mj-text');
    await expect(
      previewed(caller, { format: 'mjml', body: loose.replace('</mj-text>', '</mj-text>{% endif %}') }),
    ).rejects.toMatchObject({
      details: {
        errors: [
          { message: 'line 2, column 1: Liquid between MJML elements stands in <mj-raw>' },
          expect.anything(),
        ],
      },
    });
  });
});

describe('an unsaved source', () => {
  it('can be previewed', async () => {
    const { caller } = await suite.buildProject();
    const { findings } = await lint(caller, {
      body: '<p>Hi {{ name }}</p><img src="http://x.example/{{ id }}.png"><a href="{{ link }}">x</a>',
    });
    expect(findings.map(({ rule }) => rule).sort()).toEqual([
      'image_without_alt',
      'insecure_image',
      'unsubscribe_missing',
    ]);
    expect((await lint(caller, { body: '<p>Hi</p>', emailCategory: 'TRANSACTIONAL' })).findings).toEqual([]);
    await expect(lint(caller, { body: '{{' })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

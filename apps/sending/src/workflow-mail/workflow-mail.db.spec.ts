import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, snippets, templates, workflowMail } from '@posthorn/contracts';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

describe('what a step uses', () => {
  it('are the variables of its template and its snippets, of its own content and of its texts', async () => {
    const { caller } = await suite.buildProject();
    await suite.bus.call(snippets.create, caller, {
      name: 'order',
      body: '{{ steps["First wait"].event.total }}',
    });
    const { id } = await suite.bus.call(templates.create, caller, {
      name: 'Welcome',
      subject: 'Hello {{ contact.data.plan }}',
      body: '<p>{{ event.items | json }}{% render "order" %}{% assign mine = 1 %}{{ mine }}</p>',
    });
    const { paths } = await suite.bus.call(workflowMail.uses, caller, { template: id });
    expect(paths.map((path) => JSON.parse(path) as unknown).sort()).toEqual([
      ['contact', 'data', 'plan'],
      ['event', 'items'],
      ['steps', 'First wait', 'event', 'total'],
    ]);
    const own = { subject: '{{ a.b }}', body: '{% for c in d.e %}{{ c }}{% endfor %}{{ f[g] }}' };
    const used = await suite.bus.call(workflowMail.uses, caller, { ...own, texts: [{ text: '{{ h.i }}' }] });
    expect(used.paths.sort()).toEqual(['["a","b"]', '["d","e"]', '["f"]', '["g"]', '["h","i"]']);
  });

  it('may be as deep and large in a mail as in a contact and an event', async () => {
    const { caller, domain } = await suite.buildProject();
    const deep = { one: { two: { three: { four: 4 } } } };
    const data = {
      contact: { data: { deep, notes: 'x'.repeat(40_000) } },
      event: { deep, notes: 'x'.repeat(60_000) },
    };
    const send = { ...buildSend(domain, { subject: '{{ contact.data.deep.one.two.three.four }}' }), data };
    const accepted = await suite.bus.call(emails.accept, caller, { ...send, sourceType: 'WORKFLOW' });
    expect(accepted.emails).toHaveLength(1);
    const { items } = await suite.bus.call(workflowMail.texts, caller, {
      items: [{ texts: [{ text: '{{ contact.data.deep.one.two.three.four }}' }], variables: data }],
    });
    expect(items).toEqual([{ texts: [{ text: '4' }], error: null }]);
  });
});

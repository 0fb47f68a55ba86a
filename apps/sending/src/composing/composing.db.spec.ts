import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contacts,
  domains,
  emails,
  snippets,
  templates,
  templateUses,
  type AcceptEmails,
  type GetVariables,
  type Caller,
  type CreateTemplate,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let leave: (() => Promise<void>) | null = null;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterEach(async () => {
  await leave?.();
  leave = null;
});
afterAll(() => suite.stop());

const uuid = '019b76da-a800-7000-8000-000000000001';
const contactsKnow = async (fields: Record<string, unknown>) => {
  const requested: string[][] = [];
  leave = await standIn(suite.connection, contacts.variables, async ({ emails: addresses }: GetVariables) => {
    requested.push(addresses);
    return { contacts: addresses.map((email) => ({ email, id: uuid, customFields: fields })) };
  });
  return requested;
};

const buildTemplate = (caller: Caller, more: Partial<CreateTemplate> = {}) =>
  suite.bus.call(templates.create, caller, {
    name: 'Welcome',
    subject: 'Hello {{ name }}',
    body: '<p>Hello {{ name }}, you are on {{ plan }}. {{> footer}}</p>',
    emailCategory: 'TRANSACTIONAL',
    ...more,
  });

async function accept(
  caller: Caller,
  domain: string,
  more: Partial<AcceptEmails> = {},
): Promise<{ id: string; to: string }> {
  const { subject: _, body: __, ...rest } = buildSend(domain);
  const send = { ...rest, ...more };
  await suite.bus.call(emails.accept, caller, send);
  return { id: send.recipients[0]!.id, to: send.recipients[0]!.to.email };
}

const statusOf = async (caller: Caller, id: string) =>
  (await suite.bus.call(emails.get, caller, { id })).status;
const reaches = (caller: Caller, id: string, status: string) =>
  eventually(async () => (await statusOf(caller, id)) === status, status, 60_000);
async function taken(to: string) {
  await suite.sink.waitFor((messages) => messages.some((message) => message.to === to));
  return suite.sink.messages.find((message) => message.to === to)!.raw!;
}

describe('messages with large files', () => {
  it('go out as they came in, and small mail passes them', async () => {
    const { caller, domain } = await suite.buildProject();
    const files = Array.from({ length: 3 }, () => randomBytes(8_000_000));
    const sends = await Promise.all(
      files.map((file) =>
        accept(caller, domain, {
          ...{ subject: 'Large', body: '<p>Large</p>' },
          attachments: [{ filename: 'large.bin', content: file.toString('base64') }],
        }),
      ),
    );
    const small = await accept(caller, domain, { subject: 'Small', body: '<p>Small</p>' });
    await taken(small.to);
    expect(sends.every(({ to }) => suite.sink.messages.some((message) => message.to === to))).toBe(false);
    for (const [index, { to }] of sends.entries()) {
      const { attachments } = await PostalMime.parse(await taken(to));
      expect(Buffer.from(attachments[0]!.content as ArrayBuffer).equals(files[index]!)).toBe(true);
    }
  });
});

describe('a templated message', () => {
  it('says what its template, its data, its contact and its snippets say, in the versions of its acceptance', async () => {
    const { caller, domain } = await suite.buildProject();
    const requested = await contactsKnow({ plan: 'pro <b>', name: 'from the contact' });
    await suite.bus.call(snippets.create, caller, {
      name: 'footer',
      body: 'Bye {{ name }}, {{ project.name }}',
    });
    const template = await buildTemplate(caller);
    const { id, to } = await accept(caller, domain, {
      template: template.id,
      data: { name: 'Ada & Co' },
      scheduledAt: new Date(Date.now() + 1_500),
    });
    const late = await suite.bus.call(snippets.list, caller, {});
    await suite.bus.call(snippets.update, caller, { id: late.items[0]!.id, body: 'LATER' });
    await suite.bus.call(templates.update, caller, { id: template.id, body: '<p>LATER</p>' });
    const parsed = await PostalMime.parse(await taken(to));
    expect(parsed.subject).toBe('Hello Ada & Co');
    expect(parsed.html).toContain(
      '<p>Hello Ada &amp; Co, you are on pro &lt;b&gt;. Bye Ada &amp; Co, Analytical &lt;Engines&gt;</p>',
    );
    expect(parsed.text).toContain('Hello Ada & Co, you are on pro <b>. Bye Ada & Co, Analytical <Engines>');
    expect(requested).toEqual([[to]]);
    await reaches(caller, id, 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id })).subject).toBe('Hello Ada & Co');
    expect(await suite.bus.call(emails.content, caller, { id })).toMatchObject({
      subject: 'Hello Ada & Co',
      headers: { To: to },
    });
  });

  it('goes out though its template is deleted before it is rendered', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({});
    const template = await buildTemplate(caller);
    const { to } = await accept(caller, domain, {
      template: template.id,
      data: { name: 'Ada' },
      scheduledAt: new Date(Date.now() + 1_500),
    });
    const leaves = await Promise.all(
      Object.values(templateUses).map((each) =>
        standIn(suite.connection, each, async () => ({ used: false })),
      ),
    );
    await suite.bus.call(templates.delete, caller, { id: template.id });
    await Promise.all(leaves.map((each) => each()));
    expect((await taken(to)).toString()).toContain('Hello Ada');
  });

  it('waits while nobody can be asked for the fields of its contact, and is never rendered empty', async () => {
    const { caller, domain } = await suite.buildProject();
    const template = await buildTemplate(caller);
    const { id, to } = await accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    await eventually(async () => {
      const [row] = await suite.database.query<{ later: boolean }>(
        `SELECT state = 'QUEUED' AND due_at > created_at AS later FROM deliveries JOIN emails ON id = email_id WHERE email_id = $1`,
        [id],
      );
      return row!.later;
    }, 'it was put off');
    expect(await statusOf(caller, id)).toBe('PENDING');
    await contactsKnow({ plan: 'pro' });
    expect((await taken(to)).toString()).toContain('you are on pro');
  });

  it('has the same bytes on every attempt, though its contact changes', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({ plan: 'first' });
    const template = await buildTemplate(caller);
    const to = `dot-451+${newId()}@sink.test`;
    const { id } = await accept(caller, domain, {
      template: template.id,
      data: { name: 'Ada' },
      recipients: [{ id: newId(), to: { email: to } }],
    });
    const content = await eventually(async () => {
      const [row] = await suite.database.query<{ attempts: number }>(
        `SELECT attempts FROM deliveries WHERE email_id = $1`,
        [id],
      );
      return row!.attempts > 0 ? suite.bus.call(emails.content, caller, { id }) : null;
    }, 'a first attempt');
    await leave!();
    await contactsKnow({ plan: 'second' });
    await suite.database.query(`UPDATE deliveries SET due_at = now() WHERE email_id = $1`, [id]);
    await eventually(async () => {
      const [row] = await suite.database.query<{ attempts: number }>(
        `SELECT attempts FROM deliveries WHERE email_id = $1`,
        [id],
      );
      return row!.attempts > 1;
    }, 'a second one');
    expect(await suite.bus.call(emails.content, caller, { id })).toEqual(content);
    expect(content.html).toContain('first');
  });

  it('of marketing bears a way out, and says so in its headers', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({});
    const template = await buildTemplate(caller, {
      emailCategory: 'MARKETING',
      body: '<a href="{{ unsubscribe_url }}">out</a>',
    });
    const { to } = await accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const raw = (await taken(to)).toString();
    const [, url] = /List-Unsubscribe: <(http:\/\/localhost:3000\/u\/[\w-]+)>/.exec(raw)!;
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    expect((await PostalMime.parse(raw)).html).toContain(`<a href="${url}">out</a>`);
  });
});

describe('a message that cannot be rendered', () => {
  it('costs itself, never those beside it', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({});
    const endless =
      '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}';
    const template = await buildTemplate(caller, { body: endless });
    const bad = await accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const good = await Promise.all(
      Array.from({ length: 20 }, () =>
        accept(caller, domain, {
          subject: '{{ greeting }}',
          body: '<p>{{ greeting }}</p>',
          data: { greeting: 'Hi' },
        }),
      ),
    );
    await reaches(caller, bad.id, 'RENDERING_FAILURE');
    for (const { id } of good) await reaches(caller, id, 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id: bad.id })).failureKind).toBe('rendering');
    expect(suite.sink.messages.filter(({ to }) => to === bad.to)).toEqual([]);
  });

  it('fails where values would break its subject into headers', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({});
    const { id } = await accept(caller, domain, {
      subject: 'Hello {{ name }}',
      body: '<p>Hi</p>',
      data: { name: 'a\r\nBcc: x@sink.test' },
    });
    await reaches(caller, id, 'RENDERING_FAILURE');
  });

  it('because it is HTML of 15 MB fails visibly, and the same words go out whole where nothing is to be rendered', async () => {
    const { caller, domain } = await suite.buildProject();
    await contactsKnow({});
    const body = `<p>${'Grüße! '.repeat(1_650_000)}</p>`;
    expect(Buffer.byteLength(body)).toBeGreaterThan(14_800_000);
    const bad = await accept(caller, domain, {
      subject: 'Large',
      body: `{{ name }}${body}`,
      data: { name: 'Ada' },
    });
    const [small, whole] = [
      await accept(caller, domain, { subject: 'Small', body: '<p>Hi</p>' }),
      await accept(caller, domain, { subject: 'Large', body }),
    ];
    for (const { id } of [small, whole]) await reaches(caller, id, 'DELIVERED');
    await reaches(caller, bad.id, 'RENDERING_FAILURE');
    // No matcher: it would print both.
    expect((await PostalMime.parse(await taken(whole.to))).html!.startsWith(body)).toBe(true);
    expect(await suite.bus.call(emails.get, caller, { id: bad.id })).toMatchObject({
      failureKind: 'rendering',
      // Whichever limit a busy machine meets first.
      error: expect.stringMatching(/larger than 2 MiB|render limit exceeded|took longer than 500 ms/),
    });
  }, 180_000);

  it('fails visibly where its content is no longer retained, though it needs nothing else', async () => {
    const { caller, domain } = await suite.buildProject();
    const { id } = await accept(caller, domain, {
      subject: 'Later',
      body: '<p>Hi</p>',
      scheduledAt: new Date(Date.now() + 2_500),
    });
    await suite.database.query(`DELETE FROM email_contents WHERE project_id = $1`, [caller.projectId]);
    await reaches(caller, id, 'RENDERING_FAILURE');
    expect((await suite.bus.call(emails.get, caller, { id })).error).toMatch(/no longer retained/);
  });
});

describe('a signed domain', () => {
  it('signs with both keys, over the ways out too', async () => {
    const { caller, domain } = await suite.buildProject();
    await suite.bus.call(domains.verify, caller, { domain, signed: true });
    await contactsKnow({});
    const template = await buildTemplate(caller, { emailCategory: 'MARKETING' });
    const { to } = await accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const raw = await taken(to);
    const { items } = await suite.bus.call(domains.list, caller, {});
    const records = items.find((each) => each.domain === domain)!.records;
    const resolver = async (name: string): Promise<string[][]> => {
      const record = records.find((each) => each.name === name);
      if (!record) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      return [[record.value]];
    };
    const { results } = await dkimVerify(raw, { resolver });
    expect(results.map(({ status, algo }) => [algo, status.result]).sort()).toEqual([
      ['ed25519-sha256', 'pass'],
      ['rsa-sha256', 'pass'],
    ]);
    expect(raw.toString().toLowerCase().replace(/\s+/g, '')).toContain('list-unsubscribe:list-unsubscribe');
  });

  it('that is removed while its mail waits fails it visibly', async () => {
    const { caller, domain } = await suite.buildProject();
    const { id } = await accept(caller, domain, {
      subject: 'Later',
      body: '<p>Hi</p>',
      scheduledAt: new Date(Date.now() + 2_500),
    });
    await suite.database.query(`DELETE FROM domains WHERE project_id = $1`, [caller.projectId]);
    await reaches(caller, id, 'FAILED');
    expect((await suite.bus.call(emails.get, caller, { id })).failureKind).toBe('domain_unverified');
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { domains, emails, snippets, templates, templateUses } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { composingFixture } from '../testing/composing-fixture.js';
import { makeDue } from '../testing/make-due.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let fixture: ReturnType<typeof composingFixture>;
beforeAll(async () => {
  suite = await startSendingSuite();
  fixture = composingFixture(suite);
});
afterEach(() => fixture.loseContacts());
afterAll(() => suite.stop());

describe('messages with large attachments', () => {
  it('are sent in the order of arrival, while small messages overtake them', async () => {
    await suite.restart({ DELIVERY_PAUSED: 'true' });
    const { caller, domain } = await suite.buildProject();
    const files = Array.from({ length: 3 }, () => randomBytes(8_000_000));
    const sends = await Promise.all(
      files.map((file) =>
        fixture.accept(caller, domain, {
          subject: 'Large',
          body: '<p>Large</p>',
          attachments: [{ filename: 'large.bin', content: file.toString('base64') }],
        }),
      ),
    );
    const small = await fixture.accept(caller, domain, { subject: 'Small', body: '<p>Small</p>' });
    await suite.restart();
    await fixture.taken(small.to);
    expect(sends.every(({ to }) => suite.sink.messages.some((message) => message.to === to))).toBe(false);
    for (const [index, { to }] of sends.entries()) {
      const { attachments } = await PostalMime.parse(await fixture.taken(to));
      expect(Buffer.from(attachments[0]!.content as ArrayBuffer).equals(files[index]!)).toBe(true);
    }
  });
});

describe('a templated message', () => {
  it('is rendered from template, data, contact and snippets in the versions of its acceptance', async () => {
    const { caller, domain } = await suite.buildProject();
    const requested = await fixture.contactsKnow({ plan: 'pro <b>', name: 'from the contact' });
    await suite.bus.call(snippets.create, caller, {
      name: 'footer',
      body: 'Bye {{ name }}, {{ project.name }}',
    });
    const template = await fixture.buildTemplate(caller);
    const { id, to } = await fixture.accept(caller, domain, {
      template: template.id,
      data: { name: 'Ada & Co' },
      scheduledAt: new Date(Date.now() + 1_500),
    });
    const late = await suite.bus.call(snippets.list, caller, {});
    await suite.bus.call(snippets.update, caller, { id: late.items[0]!.id, body: 'LATER' });
    await suite.bus.call(templates.update, caller, { id: template.id, body: '<p>LATER</p>' });
    const parsed = await PostalMime.parse(await fixture.taken(to));
    expect(parsed.subject).toBe('Hello Ada & Co');
    expect(parsed.html).toContain(
      '<p>Hello Ada &amp; Co, you are on pro &lt;b&gt;. Bye Ada &amp; Co, Analytical &lt;Engines&gt;</p>',
    );
    expect(parsed.text).toContain('Hello Ada & Co, you are on pro <b>. Bye Ada & Co, Analytical <Engines>');
    expect(requested).toEqual([[to]]);
    await fixture.reaches(caller, id, 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id })).subject).toBe('Hello Ada & Co');
    expect(await suite.bus.call(emails.content, caller, { id })).toMatchObject({
      subject: 'Hello Ada & Co',
      headers: { To: to },
    });
  });

  it('is sent although its template is deleted before it is rendered', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({});
    const template = await fixture.buildTemplate(caller);
    const { to } = await fixture.accept(caller, domain, {
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
    expect((await fixture.taken(to)).toString()).toContain('Hello Ada');
  });

  it('waits while contacts is unavailable, and is never rendered with empty fields', async () => {
    const { caller, domain } = await suite.buildProject();
    const template = await fixture.buildTemplate(caller);
    const { id, to } = await fixture.accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    await eventually(async () => {
      const [row] = await suite.database.query<{ later: boolean }>(
        `SELECT state = 'QUEUED' AND due_at > created_at AS later FROM deliveries JOIN emails ON id = email_id WHERE email_id = $1`,
        [id],
      );
      return row!.later;
    }, 'it was put off');
    expect(await fixture.statusOf(caller, id)).toBe('PENDING');
    await fixture.contactsKnow({ plan: 'pro' });
    expect((await fixture.taken(to)).toString()).toContain('you are on pro');
  });

  it('has the same bytes on every attempt, although its contact changes', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({ plan: 'first' });
    const template = await fixture.buildTemplate(caller);
    const to = `dot-451+${newId()}@sink.test`;
    const { id } = await fixture.accept(caller, domain, {
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
    await fixture.loseContacts();
    await fixture.contactsKnow({ plan: 'second' });
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

  it('of marketing has an unsubscribe link and its headers', async () => {
    const { caller, domain } = await suite.buildProject();
    await fixture.contactsKnow({});
    const template = await fixture.buildTemplate(caller, {
      emailCategory: 'MARKETING',
      body: '<a href="{{ unsubscribe_url }}">out</a>',
    });
    const { to } = await fixture.accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const raw = (await fixture.taken(to)).toString();
    const [, url] = /List-Unsubscribe: <(http:\/\/localhost:3000\/u\/[\w-]+)>/.exec(raw)!;
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    expect((await PostalMime.parse(raw)).html).toContain(`<a href="${url}">out</a>`);
  });
});

describe('a signed domain', () => {
  it('signs with both keys, unsubscribe headers included', async () => {
    const { caller, domain } = await suite.buildProject();
    await suite.bus.call(domains.verify, caller, { domain, signed: true });
    await fixture.contactsKnow({});
    const template = await fixture.buildTemplate(caller, { emailCategory: 'MARKETING' });
    const { to } = await fixture.accept(caller, domain, { template: template.id, data: { name: 'Ada' } });
    const raw = await fixture.taken(to);
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

  it('that is removed while its mail waits makes that mail fail visibly', async () => {
    const { caller, domain } = await suite.buildProject();
    const { id } = await fixture.accept(caller, domain, {
      subject: 'Later',
      body: '<p>Hi</p>',
      scheduledAt: new Date(Date.now() + 3_600_000),
    });
    await suite.database.query(`DELETE FROM domains WHERE project_id = $1`, [caller.projectId]);
    await makeDue(suite.database, [id]);
    await fixture.reaches(caller, id, 'FAILED');
    expect((await suite.bus.call(emails.get, caller, { id })).failureKind).toBe('domain_unverified');
  });
});

describe('marketing mail without Liquid', () => {
  it('has the project in its footer, asks for no contact and stores no variables', async () => {
    const { caller, domain } = await suite.buildProject();
    const requested = await fixture.contactsKnow({});
    const { id, to } = await fixture.accept(caller, domain, {
      subject: 'News',
      body: '<p>News</p>',
      category: 'MARKETING',
    });
    expect((await PostalMime.parse(await fixture.taken(to))).html).toMatch(
      /News<\/p><div[^]*news from Analytical &lt;Engines&gt;\.[^]*Unsubscribe/,
    );
    expect(requested).toEqual([]);
    expect(await suite.database.query(`SELECT variables FROM deliveries WHERE email_id = $1`, [id])).toEqual([
      { variables: null },
    ]);
  });
});

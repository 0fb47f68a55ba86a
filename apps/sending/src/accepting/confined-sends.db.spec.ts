import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  contacts,
  emails,
  templates,
  type AcceptSend,
  type Caller,
  type FindSubscribed,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
/** Addresses that contacts was asked about, call by call. */
let asked: FindSubscribed['emails'][] = [];
let leave: () => Promise<void>;

/** A stand-in for contacts: addresses `reader…` are subscribed contacts. */
const contactsCome = async () => {
  leave = await standIn(suite.connection, contacts.subscribed, async ({ emails: addresses }) => {
    asked.push(addresses);
    return { emails: addresses.filter((email) => email.startsWith('reader')) };
  });
};
beforeAll(async () => {
  suite = await startSendingSuite();
  await contactsCome();
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await leave();
  await suite.stop();
});

const mailboxes = (...addresses: string[]) => addresses.map((email) => ({ email }));
const to = (...addresses: string[]) => ({
  recipients: addresses.map((email) => ({ id: newId(), to: { email } })),
});
const outcomeOf = async (caller: Caller, send: AcceptSend) => {
  const [outcome] = await Promise.allSettled([suite.bus.call(emails.accept, caller, send)]);
  return outcome.status === 'fulfilled'
    ? 'accepted'
    : [outcome.reason.kind, outcome.reason.code, outcome.reason.message];
};
const refused = (reason: string) => ['forbidden', 'scope_missing', expect.stringContaining(reason)];
const countOf = async (projectId: string) => {
  const [row] = await suite.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM emails WHERE project_id = $1`,
    [projectId],
  );
  return row!.count;
};

describe('a key confined to contacts', () => {
  const build = async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const confined: Caller = { ...caller, isPublic: true, confine: { onlyContacts: true } };
    return { confined, caller, projectId, send: buildSend(domain) };
  };

  it('sends only where every address of the message is a subscribed contact', async () => {
    const { confined, caller, projectId, send } = await build();
    const beyond = [
      to('stranger@example.org'),
      to('reader@example.org', 'stranger@example.org'),
      { ...to('reader@example.org'), cc: mailboxes('stranger@example.org') },
      { ...to('reader@example.org'), bcc: mailboxes('reader-2@example.org', 'stranger@example.org') },
      { ...to('reader@example.org'), alsoTo: mailboxes('stranger@example.org') },
    ];
    for (const whom of beyond) {
      expect(await outcomeOf(confined, { ...send, ...whom })).toEqual(refused('only to subscribed contacts'));
    }
    expect(await countOf(projectId)).toBe(0);
    const within = { ...to('reader@example.org'), cc: mailboxes('reader-2@example.org') };
    expect(await outcomeOf(confined, { ...send, ...within })).toBe('accepted');
    expect(await outcomeOf(caller, { ...send, ...to('stranger@example.org') })).toBe('accepted');
  });

  it('asks about the addresses of a batch and of concurrent sends together', async () => {
    const { confined, send } = await build();
    const messages = Array.from({ length: 100 }, (_, index) => ({
      ...send,
      ...to(index % 10 === 0 ? `stranger-${index}@example.org` : `reader-${index}@example.org`),
      index,
    }));
    const batch = await suite.bus.call(emails.acceptBatch, confined, { messages, refused: [] });
    expect([batch.accepted.length, batch.refused.length]).toEqual([90, 10]);
    expect(batch.refused[0]).toEqual({
      index: 0,
      code: 'scope_missing',
      message: expect.stringContaining('only to subscribed contacts'),
    });
    expect(asked.map((addresses) => addresses.length)).toEqual([100]);
    asked = [];
    const sends = Array.from({ length: 60 }, (_, index) =>
      outcomeOf(confined, { ...send, ...to(`reader-${index}@example.org`) }),
    );
    expect(new Set(await Promise.all(sends))).toEqual(new Set(['accepted']));
    expect(asked.length).toBeLessThan(30);
  });

  it('is refused before contacts are made of its recipients', async () => {
    const { confined } = await build();
    const check = (email: string) => suite.bus.call(emails.check, confined, { to: [email] });
    expect(await check('reader@example.org')).toEqual({ accepted: null });
    await expect(check('stranger@example.org')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'scope_missing',
    });
    for (const copies of ['cc', 'bcc'])
      await expect(
        suite.bus.call(emails.check, confined, {
          to: ['reader@example.org'],
          [copies]: [{ email: 'stranger@example.org' }],
        }),
      ).rejects.toMatchObject({ code: 'scope_missing' });
  });

  it('sends nothing while it is unknown who is a contact', async () => {
    const { confined, caller, projectId, send } = await build();
    await leave();
    try {
      expect(await outcomeOf(confined, { ...send, ...to('reader@example.org') })).toEqual([
        'unavailable',
        expect.anything(),
        expect.anything(),
      ]);
      expect(await countOf(projectId)).toBe(0);
      expect(await outcomeOf(caller, { ...send, ...to('reader@example.org') })).toBe('accepted');
    } finally {
      await contactsCome();
    }
  });
});

describe('a key confined to templates', () => {
  const build = async () => {
    const { caller, domain } = await suite.buildProject();
    const make = async (name: string) =>
      (
        await suite.bus.call(templates.create, caller, {
          name,
          subject: 'Hello',
          body: '<p>Hi {{ name }}</p>',
        })
      ).id;
    const [mine, other] = [await make('mine'), await make('other')];
    const confined: Caller = { ...caller, isPublic: true, confine: { templateIds: [mine] } };
    return { confined, mine, other, domain };
  };

  it('sends these templates with data, and no other content', async () => {
    const { confined, mine, other, domain } = await build();
    for (const template of [mine, mine.toUpperCase()])
      expect(
        await outcomeOf(confined, { ...to('anybody@example.org'), template, data: { name: 'Ada' } }),
      ).toBe('accepted');
    const whom = to('anybody@example.org');
    for (const content of [{ template: other }, { template: newId() }, { subject: 'Hi', body: '<p>x</p>' }])
      expect(await outcomeOf(confined, { ...whom, ...content })).toEqual(refused('only the templates'));
    const own: Partial<AcceptSend>[] = [
      { from: { email: `ceo@${domain}` } },
      { subject: 'Urgent' },
      { body: '<p>Pay here</p>' },
      { text: 'Pay here' },
      { replyTo: { email: 'thief@example.org' } },
      { headers: { 'X-Priority': '1' } },
      { attachments: [{ filename: 'a.exe', content: 'SGVsbG8=' }] },
    ];
    for (const content of own)
      expect(await outcomeOf(confined, { ...whom, template: mine, ...content })).toEqual(
        refused('come from the template'),
      );
  });

  it('is refused before anything is made elsewhere, and message by message in a batch', async () => {
    const { confined, mine, other } = await build();
    const check = (query: { template?: string; ownContent?: boolean }) =>
      suite.bus.call(emails.check, confined, query).then(
        () => 'checked',
        ({ code }: { code: string }) => code,
      );
    expect([
      await check({ template: mine }),
      await check({ template: other }),
      await check({ template: mine, ownContent: true }),
      await check({}),
    ]).toEqual(['checked', 'scope_missing', 'scope_missing', 'scope_missing']);
    const messages = [mine, other].map((template, index) => ({
      ...to(`a${index}@example.org`),
      template,
      index,
    }));
    const batch = await suite.bus.call(emails.acceptBatch, confined, { messages, refused: [] });
    expect([batch.accepted.map(({ index }) => index), batch.refused.map(({ index }) => index)]).toEqual([
      [0],
      [1],
    ]);
  });

  it('lists which of some ids are templates of the project', async () => {
    const { confined, mine, other } = await build();
    const { ids } = await suite.bus.call(templates.known, confined, { ids: [mine, newId(), other] });
    expect(ids.toSorted()).toEqual([mine, other].toSorted());
    const another = (await suite.buildProject()).caller;
    expect(await suite.bus.call(templates.known, another, { ids: [mine] })).toEqual({ ids: [] });
  });
});

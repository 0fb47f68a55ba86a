import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  emails,
  engagement,
  personData,
  serviceCaller,
  noProject,
  type AcceptSend,
  type Caller,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { erase, eraseOnce, markDelivered, tablesNaming } from '../testing/erasing.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const addressOf = (name: string) => `${name}.${newId()}+news@example.org`;
const get = (caller: Caller, id: string) => suite.bus.call(emails.get, caller, { id });

async function accept(
  caller: Caller,
  domain: string,
  to: string,
  more: Partial<AcceptSend> = {},
): Promise<string> {
  const send = { ...buildSend(domain, { to }), ...more };
  await suite.bus.call(emails.accept, caller, send);
  return send.recipients[0]!.id;
}

const addEvent = (projectId: string, emailId: string, recipient: string, detail: string) =>
  suite.database.query(
    `INSERT INTO email_events (project_id, email_id, id, status, recipient, detail) VALUES ($1, $2, uuidv7(), 'DELIVERED', $3, $4)`,
    [projectId, emailId, recipient, detail],
  );

/** A mail that names its recipient wherever one can be named, and has had its whole life. */
async function buildLife(caller: Caller, domain: string, to: string): Promise<string> {
  const id = await accept(caller, domain, to, {
    recipients: [{ id: newId(), to: { email: to, name: 'Ada Lovelace' }, contactId: newId() }],
    subject: `For ${to}`,
    body: `<p>Dear ${to.toUpperCase()}</p>`,
    text: `Dear ${to}`,
    data: { me: to },
    headers: { 'X-For': to },
    replyTo: { email: to },
    metadata: { user: to },
    attachments: [{ filename: `${to}.txt`, content: Buffer.from(`of ${to}`).toString('base64') }],
    idempotency: { key: newId(), operation: 'POST /api/v1/emails', bodyHash: 'a'.repeat(64) },
  });
  const { projectId } = caller;
  await suite.database.query(`UPDATE deliveries SET variables = $2 WHERE email_id = $1`, [
    id,
    { contact: { email: to } },
  ]);
  await markDelivered(suite.database, id);
  await addEvent(projectId, id, to, `final: 250 <${to}> taken`);
  const seen = {
    kind: 'CLICK',
    projectId,
    emailId: id,
    position: 0,
    agoMs: 0,
    userAgent: `A browser of ${to}`,
  } as const;
  const url = `https://shop.example/?to=${encodeURIComponent(to)}&then=${encodeURIComponent(`/a?b=${encodeURIComponent(to)}`)}`;
  const items = [{ ...seen, id: newId(), url }];
  await suite.bus.call(engagement.record, serviceCaller('gateway', noProject), { items });
  return id;
}

describe('an erased address', () => {
  it('is in no table any more; its mail stays under a hash, with its history', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const to = addressOf('ada');
    const id = await buildLife(caller, domain, to);
    const before = await get(caller, id);
    expect(await tablesNaming(suite.database, to)).toEqual([
      ...['deliveries', 'email_contents', 'email_events', 'emails', 'engagements', 'idempotency_keys'],
    ]);
    expect(await erase(suite, caller, to)).toBe(1);
    expect(await tablesNaming(suite.database, to)).toEqual([]);
    expect(await tablesNaming(suite.database, to.slice(0, to.indexOf('@')))).toEqual([]);
    expect(await tablesNaming(suite.database, 'Lovelace')).toEqual([]);
    expect(
      await suite.database.query(`SELECT 1 FROM email_attachments WHERE project_id = $1`, [projectId]),
    ).toEqual([]);
    const after = await get(caller, id);
    const hash = suite.hasher.hash(projectId, to);
    const stored = { ...before, events: after.events, to: hash, subject: '', metadata: {} };
    expect(after).toEqual(stored);
    expect(after.events.map(({ status, recipient, detail }) => [status, recipient, detail])).toEqual([
      ['PENDING', hash, null],
      ['DELIVERED', hash, null],
    ]);
    await expect(suite.bus.call(emails.content, caller, { id })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await suite.bus.call(personData.mail, caller, { email: to })).toMatchObject({
      emails: [],
      suppression: null,
      optOut: null,
    });
  });

  it('can be erased again without effect, and in one project only', async () => {
    const [{ caller, domain, projectId }, other] = [await suite.buildProject(), await suite.buildProject()];
    const to = addressOf('ada');
    const id = await buildLife(caller, domain, to);
    const theirs = await buildLife(other.caller, other.domain, to);
    const [before, content] = [
      await get(other.caller, theirs),
      await suite.bus.call(emails.content, other.caller, { id: theirs }),
    ];
    await erase(suite, caller, to);
    const rowsOf = (table: string) =>
      suite.database.query(
        `SELECT xmin::text, row::text FROM ${table} AS row WHERE project_id = $1 ORDER BY 2`,
        [projectId],
      );
    const tables = ['emails', 'deliveries', 'email_events', 'engagements', 'idempotency_keys'];
    const once = await Promise.all(tables.map(rowsOf));
    expect(await eraseOnce(suite, caller, to)).toBe(true);
    expect(await Promise.all(tables.map(rowsOf))).toEqual(once);
    expect((await get(caller, id)).to).toBe(suite.hasher.hash(projectId, to));
    expect([
      await get(other.caller, theirs),
      await suite.bus.call(emails.content, other.caller, { id: theirs }),
    ]).toEqual([before, content]);
    expect(suite.hasher.hash(other.projectId, to)).not.toBe(suite.hasher.hash(projectId, to));
  });

  it('does not affect addresses that contain it', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `da-${newId()}@example.org`;
    const texts = [`a${to}`, `x.${to}`, `${to}.uk`, `${to}x`].join(' ');
    const id = await accept(caller, domain, 'neighbour@example.org', {
      body: `${texts} ${to}, <a href="mailto:${to}">`,
    });
    const cc = [{ email: to }];
    const copied = await accept(caller, domain, 'neighbour@example.org', {
      body: `${texts} ${to}, <a href="mailto:${to}">`,
      cc,
    });
    await erase(suite, caller, to);
    const hash = suite.hasher.hash(caller.projectId, to);
    const [one, both] = await Promise.all(
      [id, copied].map((each) => suite.bus.call(emails.content, caller, { id: each })),
    );
    // What others were written is theirs, unless it went to both.
    expect(one!.html).toContain(`${texts} ${to}, <a href="mailto:${to}">`);
    expect(both!.html).toContain(`${texts} ${hash}, <a href="mailto:${hash}">`);
  });

  it('is erased in bounded steps', async () => {
    const { caller, projectId } = await suite.buildProject();
    const to = addressOf('often');
    const [busy] = await suite.database.query<{ id: string }>(
      `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status)
       SELECT $1, uuidv7(), uuidv7(), 'a@a.example', $2, 'News', 'DELIVERED' FROM generate_series(1, 450) RETURNING id`,
      [projectId, to],
    );
    await suite.database.query(
      `INSERT INTO email_events (project_id, email_id, id, status, recipient) SELECT $1, $2, uuidv7(), 'SENDING', $3 FROM generate_series(1, 2500)`,
      [projectId, busy!.id, to],
    );
    const left = async (table: string, column: string) =>
      (
        await suite.database.query(`SELECT 1 FROM ${table} WHERE project_id = $1 AND ${column} = $2`, [
          projectId,
          to,
        ])
      ).length;
    const calls: [boolean, number, number][] = [];
    do
      calls.push([
        await eraseOnce(suite, caller, to),
        await left('emails', 'to_email'),
        await left('email_events', 'recipient'),
      ]);
    while (!calls.at(-1)![0] && calls.length < 20);
    // Whole mails go in pieces of 200; the one with many events stands last, since the newest go first.
    expect(calls).toEqual([
      [false, 250, 2500],
      [false, 50, 2500],
      [false, 50, 1500],
      [false, 50, 500],
      [true, 0, 0],
    ]);
  });
});

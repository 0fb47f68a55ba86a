import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, suppressions, type AcceptSend, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import PostalMime from 'postal-mime';
import { makeDue } from '../testing/make-due.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

/** Everything that the sink took of messages with this subject. */
const takenOf = (subject: string) =>
  suite.sink.messages.flatMap(({ to, raw }) =>
    raw?.includes(`Subject: ${subject}\r\n`) ? [{ to, raw }] : [],
  );

async function accept(
  caller: Caller,
  domain: string,
  more: Partial<AcceptSend> & { subject: string },
): Promise<string> {
  const send = { ...buildSend(domain), ...more };
  await suite.bus.call(emails.accept, caller, send);
  return send.recipients[0]!.id;
}

const statusOf = async (caller: Caller, id: string) =>
  (await suite.bus.call(emails.get, caller, { id })).status;
const ended = (caller: Caller, id: string, status: string) =>
  eventually(async () => (await statusOf(caller, id)) === status, status);

describe('copies', () => {
  it('reach each recipient with the same bytes, and blind ones appear in no header', async () => {
    const { caller, domain } = await suite.buildProject();
    const subject = `Copies ${newId()}`;
    const [cc, bcc] = [`cc-${newId()}@sink.test`, `bcc-${newId()}@sink.test`];
    const id = await accept(caller, domain, {
      subject,
      cc: [{ email: cc, name: 'Cc' }],
      bcc: [{ email: bcc }],
    });
    await suite.sink.waitFor(() => takenOf(subject).length === 3);
    const taken = takenOf(subject);
    expect(new Set(taken.map(({ raw }) => raw.toString('latin1'))).size).toBe(1);
    expect(taken.map(({ to }) => to)).toEqual(expect.arrayContaining([cc, bcc]));
    expect(taken[0]!.raw.toString()).toContain(`Cc: Cc <${cc}>`);
    expect(taken[0]!.raw.toString()).not.toContain(bcc);
    await ended(caller, id, 'DELIVERED');
    const email = await suite.bus.call(emails.get, caller, { id });
    expect(JSON.stringify({ ...email, events: [] })).not.toContain(bcc);
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).events.length === 4,
      'each has its event',
    );
    const content = await suite.bus.call(emails.content, caller, { id });
    expect(JSON.stringify(content)).not.toContain(bcc);
    expect(content.headers).toMatchObject({ Subject: subject, Cc: `Cc <${cc}>` });
  });

  it('are sent once to an address that is listed twice', async () => {
    const { caller, domain } = await suite.buildProject();
    const [to, other, subject] = [
      `to-${newId()}@sink.test`,
      `other-${newId()}@sink.test`,
      `Twice ${newId()}`,
    ];
    const recipients = [{ id: newId(), to: { email: to } }];
    await accept(caller, domain, {
      subject,
      recipients,
      cc: [{ email: to }, { email: other }],
      bcc: [{ email: other }, { email: to }],
    });
    await suite.sink.waitFor(() => takenOf(subject).length >= 2);
    const [row] = await suite.database.query<{ count: number }>(
      `SELECT count(*) FROM deliveries WHERE email_id = $1`,
      [recipients[0]!.id],
    );
    expect([
      row!.count,
      takenOf(subject)
        .map((each) => each.to)
        .sort(),
    ]).toEqual([2, [other, to].sort()]);
  });

  it('publish the events of the e-mail once, and that they were sent', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const id = await accept(caller, domain, { subject: 'Counted', cc: [{ email: 'ok-copy@sink.test' }] });
    await ended(caller, id, 'DELIVERED');
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).events.length === 3,
      'both are through',
    );
    const events = await suite.database.query<{ event: string; items: number }>(
      `SELECT event_name AS event, sum(jsonb_array_length(items))::int AS items FROM outbox WHERE project_id = $1 GROUP BY event_name ORDER BY event_name`,
      [projectId],
    );
    expect(events).toEqual(
      ['copy.sent', 'email.accepted', 'email.delivered', 'email.sent'].map((name) => ({
        event: `sending.${name}`,
        items: 1,
      })),
    );
  });

  it('are not sent to a suppressed address, and not at all where the main recipient is suppressed', async () => {
    const { caller, domain } = await suite.buildProject();
    const blocked = `blocked-${newId()}@sink.test`;
    await suite.bus.call(suppressions.put, caller, { email: blocked });
    const skipped = await accept(caller, domain, { subject: `Skips ${newId()}`, cc: [{ email: blocked }] });
    await ended(caller, skipped, 'DELIVERED');
    const events = await eventually(async () => {
      const found = (await suite.bus.call(emails.get, caller, { id: skipped })).events;
      return found.length === 3 ? found : null;
    }, 'the copy has its event');
    expect(events.find(({ recipient }) => recipient === blocked)).toMatchObject({ status: 'FAILED' });
    const subject = `Stopped ${newId()}`;
    const stopped = await accept(caller, domain, {
      subject,
      recipients: [{ id: newId(), to: { email: blocked } }],
      cc: [{ email: 'ok-never@sink.test' }],
    });
    await ended(caller, stopped, 'FAILED');
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id: stopped })).events.length === 3,
      'both have ended',
    );
    expect(takenOf(subject)).toEqual([]);
    expect(suite.sink.messages.filter(({ to }) => to === blocked)).toEqual([]);
  });
});

describe('files', () => {
  it('arrive byte for byte, also in several chunks', async () => {
    const { caller, domain } = await suite.buildProject();
    const subject = `Files ${newId()}`;
    const large = Buffer.from(Array.from({ length: 700_001 }, (_, index) => (index * 31) % 251));
    const attachments = [
      {
        filename: 'Rechnung für März.pdf',
        content: large.toString('base64'),
        contentType: 'application/pdf',
      },
      { filename: 'logo.png', content: 'AQID', contentType: 'image/png', contentId: 'logo' },
    ];
    const id = await accept(caller, domain, {
      subject,
      body: '<img src="cid:logo" alt="Logo">',
      attachments,
    });
    await suite.sink.waitFor(() => takenOf(subject).length === 1);
    const parsed = await PostalMime.parse(takenOf(subject)[0]!.raw, { attachmentEncoding: 'arraybuffer' });
    const back = new Map(
      parsed.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]),
    );
    expect(back.get('Rechnung für März.pdf')!.equals(large)).toBe(true);
    expect(back.get('logo.png')).toEqual(Buffer.from([1, 2, 3]));
    const content = await suite.bus.call(emails.content, caller, { id });
    expect(content.attachments).toMatchObject([
      { size: 700_001, disposition: 'attachment' },
      { contentId: 'logo', disposition: 'inline' },
    ]);
  });
});

describe('a time', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000);

  it('is shown and waited for, and becomes the Date of the message', async () => {
    const { caller, domain } = await suite.buildProject();
    const subject = `Later ${newId()}`;
    const later = inAnHour();
    const id = await accept(caller, domain, { subject, scheduledAt: later });
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({
      status: 'PENDING',
      scheduledAt: later,
    });
    const scheduledAt = await makeDue(suite.database, [id], { inMs: 2_500 });
    await suite.sink.waitFor(() => takenOf(subject).length === 1);
    const [{ waited }] = (await suite.database.query<{ waited: boolean }>(
      `SELECT now() >= $1::timestamptz AS waited`,
      [scheduledAt],
    )) as [{ waited: boolean }];
    expect(waited).toBe(true);
    const { date } = await PostalMime.parse(takenOf(subject)[0]!.raw);
    expect(new Date(date!).getTime()).toBe(Math.floor(scheduledAt.getTime() / 1_000) * 1_000);
  });

  it('in the past means now', async () => {
    const { caller, domain } = await suite.buildProject();
    const id = await accept(caller, domain, {
      subject: 'Past',
      scheduledAt: new Date('2020-01-01T00:00:00Z'),
    });
    await ended(caller, id, 'DELIVERED');
    expect((await suite.bus.call(emails.get, caller, { id })).scheduledAt).toBeNull();
  });

  it('survives a restart, and can be cancelled until it comes', async () => {
    const { caller, domain } = await suite.buildProject();
    const [stored, taken] = [`Kept ${newId()}`, `Taken ${newId()}`];
    const storedId = await accept(caller, domain, { subject: stored, scheduledAt: inAnHour() });
    const takenId = await accept(caller, domain, {
      subject: taken,
      scheduledAt: inAnHour(),
      cc: [{ email: 'ok-cc@sink.test' }],
    });
    expect(await suite.bus.call(emails.unschedule, caller, { id: takenId })).toEqual({ id: takenId });
    await suite.restart();
    await makeDue(suite.database, [storedId, takenId]);
    await suite.sink.waitFor(() => takenOf(stored).length === 1);
    await ended(caller, storedId, 'DELIVERED');
    expect(await statusOf(caller, takenId)).toBe('CANCELLED');
    expect(takenOf(taken)).toEqual([]);
    await expect(suite.bus.call(emails.unschedule, caller, { id: takenId })).rejects.toMatchObject({
      kind: 'conflict',
    });
    await expect(suite.bus.call(emails.unschedule, caller, { id: storedId })).rejects.toMatchObject({
      kind: 'conflict',
    });
  });

  it('is met within 5 s, also by messages that become due during a restart', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const ids = await Promise.all(
      Array.from({ length: 30 }, () =>
        accept(caller, domain, { subject: 'On time', scheduledAt: inAnHour() }),
      ),
    );
    await makeDue(suite.database, ids, { inMs: 1_000, everyMs: 200 });
    await ended(caller, ids[0]!, 'DELIVERED');
    await suite.restart();
    const [restarted] = await suite.database.query<{ at: Date }>(`SELECT now() AS at`);
    for (const id of ids) await ended(caller, id, 'DELIVERED');
    const stored = await suite.database.query<{ early: boolean; late: boolean }>(
      `SELECT sent_at < scheduled_at AS early, sent_at - greatest(scheduled_at, $2) >= interval '5 seconds' AS late FROM emails WHERE project_id = $1`,
      [projectId, restarted!.at],
    );
    expect(stored).toEqual(ids.map(() => ({ early: false, late: false })));
  });
});

describe('words', () => {
  it('are required where there is no template', async () => {
    const { caller, domain } = await suite.buildProject();
    const { body: _, ...wordless } = buildSend(domain);
    await expect(suite.bus.call(emails.accept, caller, wordless)).rejects.toMatchObject({
      details: { errors: [{ path: ['body'], code: 'required' }] },
    });
  });

  it('may be text only where the caller asks for verbatim content', async () => {
    const { caller, domain } = await suite.buildProject();
    const { body: _, ...wordless } = buildSend(domain);
    const subject = `Text ${newId()}`;
    await suite.bus.call(emails.accept, caller, {
      ...wordless,
      subject,
      text: 'Only {{ this }}',
      verbatim: true,
    });
    await suite.sink.waitFor(() => takenOf(subject).length === 1);
    const parsed = await PostalMime.parse(takenOf(subject)[0]!.raw);
    expect(parsed.text?.trim()).toBe('Only {{ this }}');
    expect(parsed.html).toBeUndefined();
  });
});

describe('tags', () => {
  it('are stored as they were given, also where they look like something else', async () => {
    const { caller, domain } = await suite.buildProject();
    const tags = ['null', 'NULL', 'Null', 'nULL', 'true', '0', '-', '_', 'x'.repeat(64)];
    const id = await accept(caller, domain, { subject: 'Tagged', tags });
    expect(await suite.bus.call(emails.get, caller, { id })).toMatchObject({ tags });
    const { items } = await suite.bus.call(emails.list, caller, { tag: 'null' });
    expect(items.map((email) => email.id)).toEqual([id]);
  });
});

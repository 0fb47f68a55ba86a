import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, emailEvents, type EmailEngaged, type EmailChangedEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { watchMarks } from '../testing/segment-marks.js';

let suite: ContactsSuite;
beforeAll(async () => {
  suite = await startContactsSuite();
});
afterAll(() => suite.stop());

const mail = (to: string, at: string): EmailChangedEvent => ({
  emailId: newId(),
  to,
  at: new Date(at),
  sourceType: 'TRANSACTIONAL',
});
const engaged = (to: string, at: string, isMachine = false): EmailEngaged => ({
  ...mail(to, at),
  link: null,
  isFirst: true,
  isMachine,
});

it('mail events are summed by contact and kind, once, without scanners and unknown addresses', async () => {
  const { caller, projectId } = suite.buildProject();
  const marks = await watchMarks(suite.database, projectId);
  const ann = 'ann@example.org';
  const { id } = await suite.bus.call(contacts.create, caller, { email: ann });
  await suite.sending.publish(emailEvents.sent, projectId, [
    mail(ann, '2026-03-02T00:00:00Z'),
    mail('nobody@example.org', '2026-03-01T00:00:00Z'),
  ]);
  await suite.sending.publish(emailEvents.sent, projectId, [mail(ann, '2026-03-01T00:00:00Z')]);
  await suite.sending.publish(emailEvents.delivered, projectId, [mail(ann, '2026-03-03T00:00:00Z')]);
  await suite.sending.publish(emailEvents.opened, projectId, [
    engaged(ann, '2026-03-04T00:00:00Z'),
    engaged(ann, '2026-03-05T00:00:00Z', true),
  ]);
  await suite.sending.publish(emailEvents.clicked, projectId, [engaged(ann, '2026-03-06T00:00:00Z', true)]);
  await suite.sending.publish(emailEvents.bounced, projectId, [
    { ...mail(ann, '2026-03-07T00:00:00Z'), bounceType: 'Transient', reason: null },
    { ...mail(ann, '2026-03-08T00:00:00Z'), bounceType: 'Permanent', reason: null },
  ]);
  await suite.sending.publish(emailEvents.complained, projectId, [mail(ann, '2026-03-09T00:00:00Z')]);
  const kinds = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'];
  const durables = kinds.map((kind) => `contacts-summaries-sending-email-${kind}`);
  for (const durable of durables) await suite.sending.taken(durable);
  const summaries = () =>
    suite.database.query(
      `SELECT kind, count, first_at, last_at FROM mail_summaries WHERE project_id = $1 AND contact_id = $2 ORDER BY kind`,
      [projectId, id],
    );
  const once = (kind: string, day: number) => {
    const at = new Date(`2026-03-0${day}T00:00:00Z`);
    return { kind, count: 1, first_at: at, last_at: at };
  };
  const expected = [
    once('bounced', 8),
    once('complained', 9),
    once('delivered', 3),
    once('opened', 4),
    {
      kind: 'sent',
      count: 2,
      first_at: new Date('2026-03-01T00:00:00Z'),
      last_at: new Date('2026-03-02T00:00:00Z'),
    },
  ];
  expect(await summaries()).toEqual(expected);
  expect((await marks()).filter((each) => each === id).length).toBeGreaterThan(4);
  await suite.sending.repeatAll();
  for (const durable of durables) await suite.sending.taken(durable);
  expect(await summaries()).toEqual(expected);
});

describe('mail events that arrive before the event that creates their contact', () => {
  const at = '2026-03-01T00:00:00Z';
  const durables = ['sent', 'delivered'].map((kind) => `contacts-summaries-sending-email-${kind}`);
  const counted = (projectId: string) =>
    suite.database.query<{ email: string; kind: string; count: number }>(
      `SELECT email, kind, count FROM mail_summaries JOIN contacts ON contacts.project_id = mail_summaries.project_id AND contacts.id = contact_id
       WHERE mail_summaries.project_id = $1 ORDER BY 1, 2`,
      [projectId],
    );
  const waiting = async (projectId: string) =>
    (
      await suite.database.query<{ email: string }>(
        `SELECT DISTINCT email FROM early_mail_events WHERE project_id = $1 ORDER BY 1`,
        [projectId],
      )
    ).map(({ email }) => email);

  async function sendToUnknown(projectId: string, emails: readonly string[]): Promise<void> {
    for (const event of [emailEvents.sent, emailEvents.delivered])
      await suite.sending.publish(
        event,
        projectId,
        emails.map((email) => mail(email, at)),
      );
    for (const durable of durables) await suite.sending.taken(durable);
  }

  it('are counted once it exists, and leave when nobody creates it within an hour', async () => {
    const { projectId } = suite.buildProject();
    await sendToUnknown(projectId, ['new@example.org', 'never@example.org']);
    expect([await counted(projectId), await waiting(projectId)]).toEqual([
      [],
      ['never@example.org', 'new@example.org'],
    ]);
    await suite.sending.publish(emailEvents.accepted, projectId, [
      { ...mail('new@example.org', at), from: 'hello@example.test', contactId: null },
    ]);
    const expected = ['delivered', 'sent'].map((kind) => ({ email: 'new@example.org', kind, count: 1 }));
    await eventually(async () => (await counted(projectId)).length === 2, 'they are counted');
    expect(await counted(projectId)).toEqual(expected);
    expect(await waiting(projectId)).toEqual(['never@example.org']);
    await suite.database.query(
      `UPDATE early_mail_events SET received_at = now() - interval '61 minutes' WHERE project_id = $1`,
      [projectId],
    );
    await eventually(async () => (await waiting(projectId)).length === 0, 'the other is dropped');
    expect(await counted(projectId)).toEqual(expected);
  });

  it('are all counted where thousands arrived more than an hour before their contacts', async () => {
    const { projectId } = suite.buildProject();
    await suite.database.query(
      `INSERT INTO early_mail_events (project_id, email, kind, count, first_at, last_at, received_at)
       SELECT $1, 'p' || n || '@example.org', 'sent', 1, now(), now(), now() - interval '2 hours' FROM generate_series(1, 12000) AS n`,
      [projectId],
    );
    await suite.database.query(
      `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields)
       SELECT $1, uuidv7(), 'p' || n || '@example.org', true, '{}' FROM generate_series(1, 12000) AS n`,
      [projectId],
    );
    await sendToUnknown(projectId, ['one@example.org']);
    await eventually(
      async () => (await waiting(projectId)).every((email) => email === 'one@example.org'),
      'the others are counted',
    );
    expect(await counted(projectId)).toHaveLength(12_000);
  });

  it('leave with the contact where it is erased before they are counted', async () => {
    const { caller, projectId } = suite.buildProject();
    await sendToUnknown(projectId, ['ann@example.org', 'bob@example.org']);
    await suite.database.query(
      `UPDATE work_items SET due_at = now() + interval '1 hour', state = 'WAITING' WHERE project_id = $1 AND kind = 'contacts.early-mail-events'`,
      [projectId],
    );
    const { id } = await suite.bus.call(contacts.create, caller, { email: 'ann@example.org' });
    await suite.bus.call(contacts.delete, caller, { id });
    expect(await waiting(projectId)).toEqual(['bob@example.org']);
  });
});

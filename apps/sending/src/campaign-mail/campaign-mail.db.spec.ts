import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaignMail,
  emailEvents,
  emails,
  type Caller,
  type CampaignMailRecipient,
  type CampaignMailState,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, lockWaiters } from '@posthorn/testing';
import { Pace } from '../pacing/pace.js';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { claimedMessages, markedBy } from '../testing/claimed-messages.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const recipients = (count: number): CampaignMailRecipient[] =>
  Array.from({ length: count }, (_, index) => ({
    id: newId(),
    contactId: newId(),
    email: `ok-${newId()}-${index}@sink.test`,
  }));

async function prepared(more: object = {}) {
  const { caller, projectId, domain } = await suite.buildProject();
  const content = {
    campaignId: newId(),
    contentId: newId(),
    subject: 'Spring',
    body: '<p>Hi</p>',
    templateId: null,
    from: `news@${domain}`,
    fromName: 'News',
    replyTo: null,
    category: 'MARKETING' as const,
    ...more,
  };
  await suite.bus.call(campaignMail.prepare, caller, content);
  return { caller, projectId, content };
}
const handOver = (
  caller: Caller,
  { campaignId, contentId }: { campaignId: string; contentId: string },
  to: CampaignMailRecipient[],
) => suite.bus.call(campaignMail.handOver, caller, { campaignId, contentId, recipients: to });
const setState = (caller: Caller, campaignId: string, state: CampaignMailState, seq: number) =>
  suite.bus.call(campaignMail.setState, caller, { campaignId, state, seq });
const received = (to: readonly CampaignMailRecipient[]) =>
  suite.sink.messages.filter((message) => to.some(({ email }) => email === message.to)).length;
const statusOf = async (caller: Caller, id: string) =>
  (await suite.bus.call(emails.get, caller, { id })).status;

describe('the mail of a campaign', () => {
  it('is sent once, however often it is handed over', async () => {
    const { caller, projectId, content } = await prepared();
    const to = recipients(20);
    const answers = await Promise.all([1, 2, 3].map(() => handOver(caller, content, to)));
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(20);
    await eventually(async () => received(to) >= 20, 'all arrive');
    await handOver(caller, content, to);
    const email = await suite.bus.call(emails.get, caller, { id: to[0]!.id });
    expect(email).toMatchObject({
      campaignId: content.campaignId,
      contactId: to[0]!.contactId,
      from: content.from,
    });
    expect(received(to)).toBe(20);
    const items = await eventually(async () => {
      const sent = await suite.database.query<{ items: { campaignId: string }[] }>(
        `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2`,
        [projectId, emailEvents.sent.name],
      );
      const found = sent.flatMap(({ items: each }) => each);
      return found.length >= 20 && found;
    }, 'the events are published');
    expect([items.length, new Set(items.map(({ campaignId }) => campaignId))]).toEqual([
      20,
      new Set([content.campaignId]),
    ]);
  });

  it('needs content that is known, a sender that is verified and a template that exists', async () => {
    const { caller, content } = await prepared();
    const refusal = (call: Promise<unknown>) =>
      call.catch((error: { details: { errors?: object[] } }) => error);
    expect(await refusal(handOver(caller, { ...content, contentId: newId() }, recipients(1)))).toMatchObject({
      kind: 'not_found',
    });
    const prepare = (more: object) => suite.bus.call(campaignMail.prepare, caller, { ...content, ...more });
    expect(await refusal(prepare({ subject: null, body: null }))).toMatchObject({
      details: { errors: [{ path: ['subject'] }, { path: ['body'] }] },
    });
    expect(await refusal(prepare({ from: 'news@elsewhere.example' }))).toMatchObject({
      details: { errors: [{ path: ['from'] }] },
    });
    expect(await refusal(prepare({ templateId: newId() }))).toMatchObject({
      details: { errors: [{ path: ['templateId'] }] },
    });
  });

  it('is not prepared any more once the domain of its sender is gone', async () => {
    const { caller, content } = await prepared();
    await suite.database.query(`UPDATE domains SET verified = false WHERE project_id = $1`, [
      caller.projectId,
    ]);
    await expect(
      suite.bus.call(campaignMail.prepare, caller, { ...content, contentId: newId() }),
    ).rejects.toMatchObject({ kind: 'invalid', details: { errors: [{ path: ['from'] }] } });
  });

  it('waits while its campaign is paused, and leaves when it is handed over again after that', async () => {
    const { caller, content } = await prepared();
    const to = recipients(5);
    await setState(caller, content.campaignId, 'PAUSED', 1);
    await handOver(caller, content, to);
    await eventually(async () => {
      const [row] = await suite.database.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM deliveries WHERE campaign_id = $1 AND waits_for_next_period`,
        [content.campaignId],
      );
      return row!.waiting === 5;
    }, 'all wait');
    expect(received(to)).toBe(0);
    // An older word changes nothing.
    expect((await setState(caller, content.campaignId, 'SENDING', 1)).state).toBe('PAUSED');
    expect((await setState(caller, content.campaignId, 'SENDING', 2)).state).toBe('SENDING');
    await handOver(caller, content, to);
    await eventually(async () => received(to) === 5, 'all arrive');
  });

  it('is cancelled with its campaign', async () => {
    const { caller, projectId, content } = await prepared();
    const to = recipients(3);
    await setState(caller, content.campaignId, 'CANCELLED', 1);
    await handOver(caller, content, to);
    await eventually(async () => (await statusOf(caller, to[0]!.id)) === 'CANCELLED', 'it is cancelled');
    const cancelled = await eventually(async () => {
      const rows = await suite.database.query<{ items: object[] }>(
        `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2`,
        [projectId, emailEvents.cancelled.name],
      );
      const items = rows.flatMap(({ items: each }) => each);
      return items.length === 3 && items;
    }, 'the events are published');
    expect(cancelled[0]).toMatchObject({ campaignId: content.campaignId });
    expect(received(to)).toBe(0);
  });
});

describe('a pause', () => {
  it('is answered only when no mark can begin that has not seen it', async () => {
    const { caller, projectId } = await suite.buildProject();
    const campaignId = newId();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 2);
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'pauses', perSecond: 0 }),
      suite.hasher,
    );
    await suite.database.query(`UPDATE deliveries SET campaign_id = $2 WHERE project_id = $1`, [
      projectId,
      campaignId,
    ]);
    const [first, second] = messages.map((message) => ({ ...message, campaignId }));
    let [answered, pausing] = [false, Promise.resolve<unknown>(null)];
    await suite.database.transaction(async () => {
      // A mark that is at work holds the lock of the campaign shared.
      await suite.database.query(
        `SELECT pg_advisory_xact_lock_shared(hashtextextended($1::text || $2::text, 8))`,
        [projectId, `campaign ${campaignId}`],
      );
      pausing = suite.database.apart(() =>
        setState(caller, campaignId, 'PAUSED', 1).then(() => (answered = true)),
      );
      await eventually(
        async () => (await lockWaiters(suite.database)).length > 0,
        'the pause waits for the mark',
      );
      expect(answered).toBe(false);
    });
    await pausing;
    expect((await markedBy(marks, workerId, [first!]))[0]!.decision).toBe('campaign_paused');
    await setState(caller, campaignId, 'SENDING', 2);
    expect((await markedBy(marks, workerId, [second!]))[0]!.decision).toBe('ok');
  });
});

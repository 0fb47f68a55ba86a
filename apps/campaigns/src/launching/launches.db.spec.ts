import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  campaignRecipients,
  campaigns,
  emailEvents,
  projectEvents,
  type AudienceMember,
  type Caller,
  type EmailChangedEvent,
  type UpdateCampaign,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';
import { sumsOf } from '../testing/ledger-sums.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite({ environment: { CAMPAIGN_LATE_LIMIT: '1' } });
});
afterAll(() => suite.stop());
beforeEach(() => {
  Object.assign(suite, { members: [], failingPages: 0, lostAnswers: 0, leftTopics: new Set() });
});

const audienceOf = (size: number): AudienceMember[] =>
  Array.from({ length: size }, (_, index) => ({
    contactId: newId(),
    email: `reader${index}@example.org`,
    subscribed: index % 10 !== 1,
    excluded: index % 10 === 2,
  })).sort((a, b) => (a.contactId < b.contactId ? -1 : 1));

async function draft(caller: Caller, more: UpdateCampaign = {}): Promise<string> {
  const content = { name: 'Spring', subject: 'Hello', body: '<p>Hi</p>', audienceType: 'ALL' as const };
  return (await suite.bus.call(campaigns.create, caller, { ...content, ...more })).id;
}
const send = (caller: Caller, id: string, scheduledFor?: Date) =>
  suite.bus.call(campaigns.send, caller, { id, ...(scheduledFor ? { scheduledFor } : {}) });
const get = (caller: Caller, id: string) => suite.bus.call(campaigns.get, caller, { id });
const report = (caller: Caller, id: string) => suite.bus.call(campaignRecipients.stats, caller, { id });
const reaches = (caller: Caller, id: string, status: string) =>
  eventually(async () => {
    const campaign = await get(caller, id);
    return campaign.status === status && campaign;
  }, `the campaign becomes ${status}`);

/** What sending says of e-mails that it delivered. */
const deliver = async (projectId: string, campaignId: string, ids: readonly string[]) => {
  const item = (emailId: string): EmailChangedEvent => ({
    emailId,
    campaignId,
    to: 'reader@example.org',
    at: new Date(),
    sourceType: 'CAMPAIGN',
  });
  for (const event of [emailEvents.sent, emailEvents.delivered])
    await suite.sending.publish(event, projectId, ids.map(item));
};
const begun = async () => {
  const { caller } = suite.buildProject();
  suite.members = audienceOf(200);
  const { id } = await send(caller, await draft(caller, { sendRate: 60 }));
  await eventually(async () => suite.handedOver(id).length > 0, 'it begins');
  return { caller, id };
};
const handedOnce = (campaignId: string) => [...new Set(suite.handedOver(campaignId).map(({ id }) => id))];

describe('a launched campaign', () => {
  it('has one row for each contact, hands each over once, and is sent when everybody has an outcome', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = audienceOf(6_000);
    const id = await draft(caller);
    expect((await send(caller, id)).status).toBe('SENDING');
    await eventually(async () => handedOnce(id).length === 4_800, 'everybody is handed over');
    expect(suite.handedOver(id)).toHaveLength(4_800);
    expect((await sumsOf(suite.database, id)).kept).toMatchObject({ total: 6_000, skipped: 1_200, sent: 0 });
    await deliver(projectId, id, handedOnce(id));
    const { sentAt } = await reaches(caller, id, 'SENT');
    await eventually(async () => (await report(caller, id)).delivered === 4_800, 'all are delivered');
    const { stats } = await get(caller, id);
    expect(stats).toMatchObject({ totalRecipients: 6_000, sent: 4_800, delivered: 4_800, failed: 0 });
    expect(sentAt).not.toBeNull();
    const { kept, counted } = await sumsOf(suite.database, id);
    expect(kept).toEqual(counted);
    const skipped = await suite.bus.call(campaignRecipients.list, caller, {
      id,
      outcome: 'SKIPPED',
      reason: 'excluded',
      limit: 100,
    });
    expect([skipped.items.length, skipped.hasMore]).toEqual([100, true]);
  });

  it('skips who is not opted in to its topic, also who left after the audience was frozen', async () => {
    const { caller, projectId } = suite.buildProject();
    const topicId = newId();
    suite.topics = new Map([[topicId, { archived: false }]]);
    suite.members = audienceOf(1_000).map((member, index) => ({ ...member, optedIn: index % 2 === 0 }));
    const open = suite.members.filter(
      ({ subscribed, excluded, optedIn }) => subscribed && !excluded && optedIn,
    );
    suite.leftTopics = new Set(open.slice(0, 30).map(({ contactId }) => contactId));
    const id = await draft(caller, { topicId });
    await send(caller, id);
    const expected = open.slice(30).map(({ contactId }) => contactId);
    await eventually(async () => handedOnce(id).length === expected.length, 'all others are handed over');
    expect(new Set(suite.handedOver(id).map(({ contactId }) => contactId))).toEqual(new Set(expected));
    await deliver(projectId, id, handedOnce(id));
    await reaches(caller, id, 'SENT');
    const skipped = await suite.bus.call(campaignRecipients.list, caller, {
      id,
      reason: 'topic',
      withTotal: true,
    });
    const others = suite.members.filter(({ subscribed, excluded }) => subscribed && !excluded).length;
    expect(skipped.total).toBe(others - expected.length);
    const { kept, counted } = await sumsOf(suite.database, id);
    expect(kept).toEqual(counted);
  });

  it('ignores its topic where it is transactional', async () => {
    const { caller } = suite.buildProject();
    const topicId = newId();
    suite.topics = new Map([[topicId, { archived: false }]]);
    suite.members = audienceOf(3).map((member) => ({ ...member, excluded: false, optedIn: false }));
    suite.leftTopics = new Set(suite.members.map(({ contactId }) => contactId));
    const id = await draft(caller, { topicId, emailCategory: 'TRANSACTIONAL' });
    await send(caller, id);
    await eventually(async () => handedOnce(id).length === 3, 'everybody is handed over');
  });

  it('goes on behind the last page, and repeats a hand-over whose answer was lost', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = audienceOf(5_500).map((member) => ({ ...member, subscribed: true, excluded: false }));
    Object.assign(suite, { failingPages: 2, lostAnswers: 1 });
    const id = await draft(caller);
    await send(caller, id);
    await eventually(async () => handedOnce(id).length === 5_500, 'everybody is handed over');
    expect(suite.handedOver(id).length).toBeGreaterThan(5_500);
    await deliver(projectId, id, handedOnce(id));
    expect((await reaches(caller, id, 'SENT')).stats.sent).toBe(5_500);
    await eventually(async () => (await report(caller, id)).delivered === 5_500, 'all are delivered');
    const { kept, counted } = await sumsOf(suite.database, id);
    expect(kept).toEqual(counted);
  });

  it('is launched once by several callers', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(3);
    const id = await draft(caller);
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => send(caller, id)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('keeps about a minute of its own rate in hand, spread over that minute', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(200).map((member) => ({ ...member, subscribed: true, excluded: false }));
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await eventually(async () => suite.handedOver(id).length >= 60, 'the first minute is handed over');
    await new Promise((later) => setTimeout(later, 1_200));
    expect(suite.handedOver(id).length).toBeLessThan(66);
    const times = suite.handedOver(id).map(({ dueAt }) => dueAt!.getTime());
    expect(times[59]! - times[0]!).toBe(59_000);
    await suite.bus.call(campaigns.cancel, caller, { id });
  });
});

describe('a campaign that is paused', () => {
  it('hands nothing over until it is resumed, and then what was in hand once more', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(200).map((member) => ({ ...member, subscribed: true, excluded: false }));
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await eventually(async () => suite.handedOver(id).length >= 60, 'the first minute is handed over');
    const paused = await suite.bus.call(campaigns.pause, caller, { id });
    expect([paused.status, paused.pausedReason, suite.statesOf(id)[0]]).toEqual([
      'PAUSED',
      'OPERATOR',
      'PAUSED',
    ]);
    const before = new Set(suite.handedOver(id).map(({ id: each }) => each));
    await suite.bus.call(campaigns.resume, caller, { id });
    await eventually(async () => suite.statesOf(id).at(-1) === 'SENDING', 'sending is told');
    await eventually(
      async () => suite.handedOver(id).filter(({ id: each }) => before.has(each)).length >= 2 * before.size,
      'what was in hand becomes due again',
    );
    await suite.bus.call(campaigns.cancel, caller, { id });
  });

  it('is cancelled: who was not handed over is skipped, and the rest ends as sending says', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = audienceOf(200).map((member) => ({ ...member, subscribed: true, excluded: false }));
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await eventually(async () => suite.handedOver(id).length >= 60, 'the first minute is handed over');
    expect((await suite.bus.call(campaigns.cancel, caller, { id })).status).toBe('CANCELLED');
    const handed = handedOnce(id);
    await suite.sending.publish(
      emailEvents.cancelled,
      projectId,
      handed.map((emailId) => ({
        emailId,
        campaignId: id,
        to: 'reader@example.org',
        at: new Date(),
        sourceType: 'CAMPAIGN' as const,
      })),
    );
    await eventually(async () => (await report(caller, id)).skipped === 200, 'everybody is skipped');
    const { kept, counted } = await sumsOf(suite.database, id);
    expect(kept).toEqual(counted);
  });
});

describe('a scheduled campaign', () => {
  it('is launched at its time, also after it was edited', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(1);
    const id = await draft(caller);
    await send(caller, id, new Date(Date.now() + 86_400_000));
    await suite.bus.call(campaigns.update, caller, { id, name: 'Summer' });
    await eventually(() => send(caller, id, new Date(Date.now() + 1_000)).catch(() => null), 'rescheduled');
    await eventually(async () => suite.handedOver(id).length === 1, 'it is sent');
    expect(await get(caller, id)).toMatchObject({ name: 'Summer', status: 'SENDING' });
  });
});

describe('a request that failed after sending was told', () => {
  it('is taken back in sending', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(200);
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await suite.database.query(
      `ALTER TABLE outbox ADD CONSTRAINT no_pauses CHECK (event_name <> 'campaigns.campaign.paused') NOT VALID`,
    );
    await expect(suite.bus.call(campaigns.pause, caller, { id })).rejects.toThrow();
    await suite.database.query(`ALTER TABLE outbox DROP CONSTRAINT no_pauses`);
    expect(suite.statesOf(id)[0]).toBe('PAUSED');
    expect((await get(caller, id)).status).toBe('SENDING');
    await eventually(async () => suite.statesOf(id).at(-1) === 'SENDING', 'sending is told how it ended');
    await suite.bus.call(campaigns.cancel, caller, { id });
  });
});

describe('a campaign whose project', () => {
  it('has used up its allowance pauses with what is left', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = audienceOf(200);
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await eventually(async () => suite.handedOver(id).length > 0, 'it begins');
    const [first] = suite.handedOver(id);
    await suite.sending.publish(emailEvents.failed, projectId, [
      {
        emailId: first!.id,
        campaignId: id,
        to: first!.email,
        at: new Date(),
        sourceType: 'CAMPAIGN',
        failureKind: 'quota_exhausted',
        reason: null,
      },
    ]);
    expect((await reaches(caller, id, 'PAUSED')).pausedReason).toBe('QUOTA');
    const { items } = await suite.bus.call(campaignRecipients.list, caller, {
      id,
      reason: 'quota_exhausted',
    });
    expect(items).toMatchObject([{ emailId: first!.id, outcome: 'SKIPPED' }]);
  });

  it('is disabled for its reputation pauses', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = audienceOf(200);
    const id = await draft(caller, { sendRate: 60 });
    await send(caller, id);
    await suite.gateway.publish(projectEvents.changed, projectId, [
      {
        id: projectId,
        disabled: true,
        disabledReason: 'EMAIL_REPUTATION',
        seq: 2,
        tracking: 'ENABLED',
        language: 'en',
        at: new Date(),
      },
    ]);
    expect((await reaches(caller, id, 'PAUSED')).pausedReason).toBe('REPUTATION');
  });
});

describe('what is late', () => {
  it('a schedule that was missed by hours pauses, and is launched by resuming', async () => {
    const { caller } = suite.buildProject();
    suite.members = audienceOf(1);
    const id = await draft(caller);
    await send(caller, id, new Date(Date.now() + 86_400_000));
    await suite.database.query(
      `UPDATE campaigns SET scheduled_at = now() - interval '2 hours' WHERE id = $1`,
      [id],
    );
    await suite.database.query(`UPDATE work_items SET due_at = now(), state = 'READY' WHERE key = $1`, [id]);
    expect((await reaches(caller, id, 'PAUSED')).pausedReason).toBe('LATE');
    expect(suite.handedOver(id)).toEqual([]);
    await suite.bus.call(campaigns.resume, caller, { id });
    await eventually(async () => suite.handedOver(id).length === 1, 'it is sent');
  });

  it('a campaign in a restored copy pauses, and goes on when it is resumed', async () => {
    const { caller, id } = await begun();
    await suite.database.query(`UPDATE launches SET database_identity = 'elsewhere' WHERE campaign_id = $1`, [
      id,
    ]);
    expect((await reaches(caller, id, 'PAUSED')).pausedReason).toBe('RESTORED');
    const before = suite.handedOver(id).length;
    await suite.bus.call(campaigns.resume, caller, { id });
    await eventually(async () => suite.handedOver(id).length > before, 'it goes on');
  });

  it('a campaign that has not moved for hours pauses instead of going on', async () => {
    const { caller, id } = await begun();
    await suite.bus.call(campaigns.pause, caller, { id });
    const handOvers = `SELECT 1 FROM work_items WHERE kind = 'campaigns.hand-overs' AND key = $1`;
    await eventually(async () => (await suite.database.query(handOvers, [id])).length === 0, 'it rests');
    await suite.database.query(
      `WITH moved AS (UPDATE launches SET moved_at = now() - interval '2 hours' WHERE campaign_id = $2),
         sending AS (UPDATE campaigns SET status = 'SENDING' WHERE id = $2)
       INSERT INTO work_items (id, kind, project_id, key, state) VALUES (gen_random_uuid(), 'campaigns.hand-overs', $1, $2, 'READY')`,
      [caller.projectId, id],
    );
    expect((await reaches(caller, id, 'PAUSED')).pausedReason).toBe('RESTORED');
  });
});

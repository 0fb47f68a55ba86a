import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  campaignRecipients,
  campaigns,
  emailEvents,
  type Caller,
  type CampaignComparison,
  type EmailEngaged,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';
import { assignedTo } from './assignment.js';

const size = 400;

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.members = Array.from({ length: size }, (_, index) => ({
    contactId: newId(),
    email: `reader${index}@example.org`,
    subscribed: true,
    excluded: false,
  })).sort((a, b) => (a.contactId < b.contactId ? -1 : 1));
});

async function launched(caller: Caller, test: CampaignComparison): Promise<string> {
  const { id } = await suite.bus.call(campaigns.create, caller, {
    name: 'Spring',
    subject: 'Hello',
    body: '<p>Hi</p>',
    audienceType: 'ALL',
    variants: [{ name: 'A' }, { name: 'B', subject: 'Good morning' }],
    test,
  });
  await suite.bus.call(campaigns.send, caller, { id });
  return id;
}
const report = (caller: Caller, id: string) => suite.bus.call(campaignRecipients.stats, caller, { id });
const choose = (caller: Caller, id: string, variant: string) =>
  suite.bus.call(campaigns.chooseWinner, caller, { id, variant });

/** Everybody who takes part in the test has the message of a variant. */
async function tested(caller: Caller, id: string): Promise<number> {
  const campaign = await suite.bus.call(campaigns.get, caller, { id });
  const share = suite.members.filter(
    ({ contactId }) => assignedTo(contactId, campaign).variant !== null,
  ).length;
  return eventually(async () => {
    const { variants } = await report(caller, id);
    const handed = variants.reduce((sum, { recipients }) => sum + recipients, 0);
    return handed === share && handed;
  }, 'the test share is handed over');
}

const engaged = (campaignId: string, emailId: string): EmailEngaged => ({
  emailId,
  campaignId,
  to: 'reader@example.org',
  at: new Date(),
  sourceType: 'CAMPAIGN',
  link: null,
  isFirst: true,
  isMachine: false,
});

describe('variants', () => {
  it('share a part of the audience evenly, and the rest gets the one that is chosen', async () => {
    const { caller } = suite.buildProject();
    const id = await launched(caller, { share: 50, winnerBy: 'MANUAL', afterMinutes: 10 });
    const handed = await tested(caller, id);
    expect(handed).toBeGreaterThan(size * 0.35);
    expect(handed).toBeLessThan(size * 0.65);
    const { variants } = await report(caller, id);
    for (const { recipients } of variants) expect(recipients).toBeGreaterThan(handed / 3);
    const contents = new Set(suite.handedOver(id).map(({ contentId }) => contentId));
    expect(contents.size).toBe(2);
    await expect(choose(caller, id, 'C')).rejects.toMatchObject({ kind: 'invalid' });
    await choose(caller, id, 'B');
    await expect(choose(caller, id, 'A')).rejects.toMatchObject({ kind: 'conflict' });
    await eventually(async () => suite.handedOver(id).length === size, 'the rest is handed over');
    const rest = new Set(
      suite
        .handedOver(id)
        .slice(handed)
        .map(({ contentId }) => contentId),
    );
    expect(rest.size).toBe(1);
    await eventually(async () => {
      const { variants: all } = await report(caller, id);
      return all.reduce((sum, { recipients }) => sum + recipients, 0) === size;
    }, 'everybody counts for a variant');
    expect(await report(caller, id)).toMatchObject({ winner: 'B', decidedBy: 'MANUAL' });
    const { items } = await suite.bus.call(campaignRecipients.list, caller, { id, limit: 1 });
    expect(['A', 'B']).toContain(items[0]!.variant);
  });

  it('count each recipient once, however often failed mail is sent again', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.members = suite.members.slice(0, 20);
    const id = await launched(caller, { share: 50, winnerBy: 'MANUAL', afterMinutes: 10 });
    await eventually(async () => (await report(caller, id)).variants.length === 2, 'the launch is under way');
    await choose(caller, id, 'B');
    const countsOf = async () => (await report(caller, id)).variants.map(({ recipients }) => recipients);
    const allHandedOver = (times: number) =>
      eventually(async () => {
        const counts = await countsOf();
        return suite.handedOver(id).length === 20 * times && counts[0]! + counts[1]! === 20 && counts;
      }, 'everybody is handed over and counted');
    const before = await allHandedOver(1);
    for (const times of [2, 3]) {
      const failed = suite
        .handedOver(id)
        .slice(-20)
        .map(({ id: emailId, email }) => ({
          emailId,
          campaignId: id,
          to: email,
          at: new Date(),
          sourceType: 'CAMPAIGN' as const,
          failureKind: 'provider_rejected' as const,
          reason: null,
        }));
      await suite.sending.publish(emailEvents.failed, projectId, failed);
      await eventually(
        async () => (await suite.bus.call(campaigns.get, caller, { id })).status === 'SENT',
        'the campaign is over',
      );
      expect(await suite.bus.call(campaigns.retryFailed, caller, { id })).toMatchObject({ queued: 20 });
      expect(await allHandedOver(times)).toEqual(before);
    }
  });

  it('are decided by what people opened', async () => {
    const { caller, projectId } = suite.buildProject();
    const id = await launched(caller, { share: 50, winnerBy: 'OPENS', afterMinutes: 10 });
    await tested(caller, id);
    const first = suite.handedOver(id);
    const sent = first.map(({ id: emailId }) => engaged(id, emailId));
    await suite.sending.publish(emailEvents.sent, projectId, sent);
    const [row] = await suite.database.query<{ contents: string[] }>(
      `SELECT variant_contents AS contents FROM launches WHERE campaign_id = $1`,
      [id],
    );
    const ofB = first.filter(({ contentId }) => contentId === row!.contents[1]).slice(0, 20);
    await suite.sending.publish(
      emailEvents.opened,
      projectId,
      ofB.map(({ id: emailId }) => engaged(id, emailId)),
    );
    await eventually(async () => {
      const { sent: counted, variants } = await report(caller, id);
      return counted === first.length && variants[1]!.opened === 20;
    }, 'all that was sent and opened is counted');
    await suite.database.query(
      `UPDATE work_items SET due_at = now(), state = 'READY' WHERE kind = 'campaigns.winners' AND key = $1`,
      [id],
    );
    await eventually(async () => suite.handedOver(id).length === size, 'the rest is handed over');
    expect(await report(caller, id)).toMatchObject({ winner: 'B', decidedBy: 'OPENS' });
  });

  it('need a test, names of their own, and content that is known', async () => {
    const { caller } = suite.buildProject();
    const draft = { name: 'Spring', audienceType: 'ALL' as const };
    const refusal = (more: object) =>
      suite.bus
        .call(campaigns.create, caller, { ...draft, ...more })
        .catch((error: { details: { errors: { path: string[]; code: string }[] } }) =>
          error.details.errors.map(({ path, code }) => `${path.join('/')} ${code}`),
        );
    const variants = [{ name: 'A' }, { name: 'A' }];
    const test = { share: 10, winnerBy: 'OPENS', afterMinutes: 60 };
    expect(await refusal({ variants })).toEqual(['variants/1/name not_allowed', 'test required']);
    expect(await refusal({ test })).toEqual(['variants required']);
  });
});

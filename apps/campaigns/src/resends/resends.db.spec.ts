import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaignRecipients,
  campaigns,
  emailEvents,
  type Caller,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

const size = 8;
const content = { name: 'Spring', subject: 'Hello', body: '<p>Hi</p>', audienceType: 'ALL' as const };

async function sent(caller: Caller): Promise<string> {
  const { projectId } = caller;
  suite.members = Array.from({ length: size }, (_, index) => ({
    contactId: newId(),
    email: `reader${index}@example.org`,
    subscribed: true,
    excluded: false,
  })).sort((a, b) => (a.contactId < b.contactId ? -1 : 1));
  const { id } = await suite.bus.call(campaigns.create, caller, content);
  await suite.bus.call(campaigns.send, caller, { id });
  await eventually(async () => suite.handedOver(id).length === size, 'everybody is handed over');
  const item = ({ id: emailId, email }: { id: string; email: string }): EmailChangedEvent => ({
    emailId,
    campaignId: id,
    to: email,
    at: new Date(),
    sourceType: 'CAMPAIGN',
  });
  const handed = suite.handedOver(id).sort((a, b) => (a.email < b.email ? -1 : 1));
  await suite.sending.publish(emailEvents.sent, projectId, handed.map(item));
  const engaged = (index: number) => ({
    ...item(handed[index]!),
    link: null,
    isFirst: true,
    isMachine: false,
  });
  await suite.sending.publish(emailEvents.opened, projectId, [engaged(0)]);
  await suite.sending.publish(emailEvents.clicked, projectId, [engaged(1)]);
  await suite.sending.publish(emailEvents.complained, projectId, [item(handed[2]!)]);
  return id;
}

const settled = (caller: Caller, id: string) =>
  eventually(async () => {
    const { status, stats } = await suite.bus.call(campaigns.get, caller, { id });
    const { complained } = await suite.bus.call(campaignRecipients.stats, caller, { id });
    return status === 'SENT' && stats.opened === 1 && stats.clicked === 1 && complained === 1;
  }, 'all is counted');

describe('a campaign for those who did not open another one', () => {
  it('reaches who got it and did not react', async () => {
    const { caller } = suite.buildProject();
    const id = await sent(caller);
    await settled(caller, id);
    const again = await suite.bus.call(campaigns.resend, caller, { id, subject: 'Once more' });
    expect(again).toMatchObject({
      name: 'Spring (resend)',
      subject: 'Once more',
      body: '<p>Hi</p>',
      status: 'DRAFT',
      resendOfId: id,
    });
    suite.members = [
      ...suite.members,
      { contactId: newId(), email: 'new@example.org', subscribed: true, excluded: false },
    ];
    await suite.bus.call(campaigns.send, caller, { id: again.id });
    await eventually(async () => suite.handedOver(again.id).length >= 5, 'the others are handed over');
    const { total } = await suite.database
      .query<{ total: number }>(`SELECT total FROM campaign_counts WHERE campaign_id = $1`, [again.id])
      .then(([row]) => row!);
    expect([total, suite.handedOver(again.id).map(({ email }) => email)]).toEqual([
      5,
      expect.not.arrayContaining(['new@example.org']),
    ]);
  });

  it('is made of campaigns that were sent, and cloning keeps whom it is for', async () => {
    const { caller } = suite.buildProject();
    const { id } = await suite.bus.call(campaigns.create, caller, content);
    await expect(suite.bus.call(campaigns.resend, caller, { id })).rejects.toMatchObject({
      kind: 'conflict',
    });
    const first = await sent(caller);
    await settled(caller, first);
    const again = await suite.bus.call(campaigns.resend, caller, { id: first });
    expect((await suite.bus.call(campaigns.clone, caller, { id: again.id })).resendOfId).toBe(first);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaignEvents,
  contactEvents,
  emailEvents,
  eraseIn,
  webhookEventTypes,
  type Campaign,
  type Contact,
  type EmailChangedEvent,
  type EventContract,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { EventPublisher } from '@posthorn/testing';
import { startWebhooksSuite, type WebhooksSuite } from '../../testing/webhooks-suite.js';

let suite: WebhooksSuite;
beforeAll(async () => {
  suite = await startWebhooksSuite();
});
afterAll(() => suite.stop());

const at = new Date('2026-11-20T10:00:00.123Z');
const [emailId, contactId, campaignId] = [newId(), newId(), newId()];

const email: EmailChangedEvent = {
  emailId,
  to: 'ada@example.org',
  at,
  sourceType: 'CAMPAIGN',
  subject: 'News',
  from: 'news@shop.example',
  fromName: 'Shop',
  providerMessageId: 'p-1',
  contactId,
  templateId: null,
  campaignId,
  metadata: { order: '7' },
};
const base = {
  subject: 'News',
  from: 'news@shop.example',
  fromName: 'Shop',
  sesMessageId: 'p-1',
  emailId,
  templateId: null,
  campaignId,
  sourceType: 'CAMPAIGN',
  contactId,
  to: 'ada@example.org',
  metadata: { order: '7' },
};
const instant = at.toISOString();
const engaged = { ...email, link: 'https://shop.example/', isFirst: false, isMachine: false, total: 3 };

const contactOf = (projectId: string): Contact => ({
  id: contactId,
  projectId,
  email: 'ada@example.org',
  subscribed: true,
  customFields: { plan: 'pro' },
  createdAt: at,
  updatedAt: at,
});
const contactItem = { contactId, email: 'ada@example.org', subscribed: true, at, seq: 3 };

type Case = [
  type: string,
  publisher: 'sending' | 'contacts' | 'campaigns',
  EventContract,
  item: object,
  data: object,
];
const cases: Case[] = [
  ['email.sent', 'sending', emailEvents.sent, email, { ...base, sentAt: instant }],
  ['email.delivered', 'sending', emailEvents.delivered, email, { ...base, deliveredAt: instant }],
  ['email.delayed', 'sending', emailEvents.delayed, { ...email, reason: 'full' }, { ...base, delayedAt: instant, reason: 'full' }],
  ['email.opened', 'sending', emailEvents.opened, { ...engaged, link: null }, { ...base, openedAt: instant, opens: 3, isFirstOpen: false }],
  ['email.clicked', 'sending', emailEvents.clicked, engaged, { ...base, link: 'https://shop.example/', clickedAt: instant, clicks: 3, isFirstClick: false }],
  ['email.bounced', 'sending', emailEvents.bounced, { ...email, bounceType: 'Permanent', reason: '550' }, { ...base, bounceType: 'Permanent', bouncedAt: instant, reason: '550', diagnostic: '550' }],
  ['email.bounced', 'sending', emailEvents.bounced, { ...email, bounceType: 'Transient', reason: 'full', diagnostic: '450 4.2.2 full' }, { ...base, bounceType: 'Transient', transientBounce: true, reason: 'full', diagnostic: '450 4.2.2 full' }],
  ['email.complained', 'sending', emailEvents.complained, email, { ...base, complainedAt: instant }],
  ['email.failed', 'sending', emailEvents.failed, { ...email, failureKind: 'suppressed', reason: null }, { ...base, failedAt: instant, failureKind: 'suppressed', reason: null }],
  ['contact.created', 'contacts', contactEvents.created, contactItem, { id: contactId }],
  ['contact.updated', 'contacts', contactEvents.updated, contactItem, { id: contactId }],
  ['contact.subscribed', 'contacts', contactEvents.subscribed, contactItem, { id: contactId }],
  ['contact.unsubscribed', 'contacts', contactEvents.unsubscribed, contactItem, { id: contactId }],
  ['contact.deleted', 'contacts', contactEvents.deleted, { contactId, at }, { id: contactId }],
  ['contacts.bulk_created', 'contacts', contactEvents.bulkCreated, { count: 12, source: 'IMPORT', at }, { count: 12, source: 'IMPORT' }],
  ['campaign.sent', 'campaigns', campaignEvents.sent, { campaignId, name: 'Spring', at, seq: 4 }, { id: campaignId, name: 'Spring', stats: { sent: 2 } }],
]; // prettier-ignore

describe('an event', () => {
  it.each(cases)(
    '%s becomes a call of every webhook that asks for it',
    async (type, publisher, contract, item, data) => {
      const { caller, projectId } = suite.buildProject();
      suite.knownContacts.set(contactId, contactOf(projectId));
      suite.knownCampaigns.set(campaignId, {
        id: campaignId,
        name: 'Spring',
        stats: { sent: 2 },
      } as Campaign);
      const [one, other, deaf] = await Promise.all([
        suite.buildWebhook(caller, { eventTypes: [...webhookEventTypes] }),
        suite.buildWebhook(caller, { eventTypes: [type as 'email.sent'] }),
        suite.buildWebhook(caller, { eventTypes: ['workflow.failed'] }),
      ]);
      await (suite[publisher] as EventPublisher).publish(contract, projectId, [item]);
      const [[call], [twin]] = await Promise.all(
        [one!, other!].map(({ id }) => suite.endedCalls(caller, id)),
      );
      expect(call).toMatchObject({
        eventType: type,
        status: 'SUCCESS',
        createdAt: at,
        payload: { type, createdAt: instant },
      });
      expect(call!.payload).toEqual(twin!.payload);
      const isContact = type.startsWith('contact.') && type !== 'contact.deleted';
      const whole = { ...contactOf(projectId), createdAt: instant, updatedAt: instant };
      expect(call!.payload['data']).toEqual(isContact ? whole : data);
      expect(await suite.callsOf(caller, deaf!.id)).toEqual([]);
    },
  );

  it('that a machine caused makes no call, nor one about a contact that is gone', async () => {
    const { caller, projectId } = suite.buildProject();
    suite.knownContacts.delete(contactId);
    const { id } = await suite.buildWebhook(caller, {
      eventTypes: ['email.opened', 'contact.updated', 'contact.deleted'],
    });
    await suite.sending.publish(emailEvents.opened, projectId, [{ ...engaged, isMachine: true }]);
    await suite.contacts.publish(contactEvents.updated, projectId, [contactItem]);
    await suite.sending.taken('workflows-webhooks-sending-email-opened');
    await suite.contacts.taken('workflows-webhooks-contacts-contact-updated');
    expect(await suite.callsOf(caller, id)).toEqual([]);
  });
});

describe('a sent campaign', () => {
  it('that was deleted meanwhile makes no call, and delays no other', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { eventTypes: ['campaign.sent'] });
    suite.knownCampaigns.set(campaignId, { id: campaignId, name: 'Spring', stats: { sent: 2 } } as Campaign);
    const item = { campaignId, name: 'Spring', at, seq: 4 };
    const items = [{ ...item, campaignId: newId() }, item];
    await suite.campaigns.publish(campaignEvents.sent, projectId, items);
    const [call, ...others] = await suite.endedCalls(caller, id);
    expect(call!.payload['data']).toMatchObject({ id: campaignId });
    expect(others).toEqual([]);
  });
});

describe('an erasure', () => {
  it('removes what calls say about a person, and calls of late events are not made', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { eventTypes: ['email.sent', 'email.delivered'] });
    suite.receiver.answer = ({ body }) => ({ body: `got ${body}` });
    const unknown = { ...email, contactId: null, metadata: { by: 'Ada@example.org' } };
    const other = { ...email, contactId: newId(), to: 'joada@example.org', metadata: {} };
    await suite.sending.publish(emailEvents.sent, projectId, [email, unknown, other]);
    await suite.endedCalls(caller, id, 3);
    suite.receiver.answer = () => ({});
    const erasure = { erasureId: newId(), contactId, erasedAt: new Date(), email: 'ada@example.org' };
    while (!(await suite.bus.call(eraseIn.workflows, caller, erasure)).done);
    await suite.sending.publish(emailEvents.delivered, projectId, [email]);
    await suite.sending.taken('workflows-webhooks-sending-email-delivered');
    const rows = await suite.database.query(
      `SELECT * FROM calls c JOIN call_requests r ON r.project_id = c.project_id AND r.id = c.request_id WHERE c.project_id = $1`,
      [projectId],
    );
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toMatch(/[^o]ada@example\.org/i);
    const calls = await suite.callsOf(caller, id);
    const emptied = calls.find(({ payload }) => Object.keys(payload['data'] as object).length === 0);
    expect(emptied!.payload).toEqual({
      id: expect.any(String),
      type: 'email.sent',
      createdAt: instant,
      data: {},
    });
    expect(emptied!.responseBody).toBeNull();
    const kept = calls.find(({ payload }) => (payload['data'] as { to?: string }).to === 'joada@example.org');
    expect(kept!.payload['data']).toMatchObject({ subject: 'News' });
  });
});

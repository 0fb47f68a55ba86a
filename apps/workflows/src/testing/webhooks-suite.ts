import {
  campaignNotFound,
  campaigns,
  contactLookups,
  webhooks,
  type Campaign,
  type Caller,
  type Contact,
  type CreateWebhookBy,
  type WebhookCall,
  type WebhookWithSecret,
} from '@posthorn/contracts';
import {
  eventually,
  EventPublisher,
  openServiceFixture,
  standIn,
  type ServiceFixture,
} from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startWorkflows } from '../service.js';
import { callWork } from '../work-kinds.js';
import { standInAuthorities } from './stand-in-authorities.js';
import { Receiver } from './receiver.js';

/** The workflows service, events of other services, and a server that webhooks call. */
export interface WebhooksSuite extends Pick<
  ServiceFixture,
  'bus' | 'connection' | 'database' | 'queue' | 'buildProject' | 'eventsOf'
> {
  receiver: Receiver;
  sending: EventPublisher;
  contacts: EventPublisher;
  campaigns: EventPublisher;
  /** What the stand-ins of other services know. */
  knownContacts: Map<string, Contact>;
  knownCampaigns: Map<string, Campaign>;
  buildWebhook(caller: Caller, wanted?: Partial<CreateWebhookBy>): Promise<WebhookWithSecret>;
  callsOf(caller: Caller, id: string): Promise<WebhookCall[]>;
  /** Once as many calls have ended. */
  endedCalls(caller: Caller, id: string, count?: number): Promise<WebhookCall[]>;
  /** As if the time until the next attempts had passed. */
  passTime(projectId: string, webhookId: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startWebhooksSuite(environment: Record<string, string> = {}): Promise<WebhooksSuite> {
  const fixture = await openServiceFixture('workflows', { entities, migrations });
  const known = { knownContacts: new Map<string, Contact>(), knownCampaigns: new Map<string, Campaign>() };
  const leave = await standInFor(fixture, known);
  const service = await fixture.carry(
    startWorkflows({
      environment: { ...fixture.environment, WEBHOOK_ALLOW_PRIVATE: 'true', ...environment },
      processMetrics: false,
    }),
  );
  const receiver = await Receiver.open();
  const [sending, contacts, sendsCampaigns] = await Promise.all(
    (['sending', 'contacts', 'campaigns'] as const).map((name) =>
      EventPublisher.start(fixture.connection, name),
    ),
  );
  const publishers = { sending: sending!, contacts: contacts!, campaigns: sendsCampaigns! };
  return {
    ...fixture,
    ...known,
    ...publishers,
    ...actionsOn(fixture, receiver),
    receiver,
    stop: async () => {
      await service.stop();
      for (const publisher of Object.values(publishers)) await publisher.stop();
      await Promise.all(leave.map((stop) => stop()));
      await receiver.close();
      await fixture.close();
    },
  };
}

function actionsOn({ bus, database, queue }: ServiceFixture, receiver: Receiver) {
  const callsOf = async (caller: Caller, id: string) =>
    (await bus.call(webhooks.calls, caller, { id, limit: 100 })).items;
  return {
    callsOf,
    buildWebhook: (caller: Caller, wanted: Partial<CreateWebhookBy> = {}) =>
      bus.call(webhooks.create, caller, {
        url: receiver.url(),
        eventTypes: ['email.sent'],
        mayConfirm: true,
        ...wanted,
      }),
    endedCalls: (caller: Caller, id: string, count = 1) =>
      eventually(async () => {
        const calls = await callsOf(caller, id);
        return calls.length >= count && calls.every(({ status }) => status !== 'PENDING') ? calls : null;
      }, `${count} calls have ended`),
    passTime: async (projectId: string, webhookId: string) => {
      await database.query(`UPDATE endpoints SET rests_until = NULL WHERE id = $1`, [webhookId]);
      await database.query(`UPDATE calls SET due_at = now() WHERE endpoint_id = $1 AND status = 'PENDING'`, [
        webhookId,
      ]);
      await queue.enqueue(callWork, [{ projectId, key: webhookId, payload: { kind: 'EVENT' } }]);
    },
  };
}

function standInFor(
  { connection }: ServiceFixture,
  { knownContacts, knownCampaigns }: Pick<WebhooksSuite, 'knownContacts' | 'knownCampaigns'>,
): Promise<(() => Promise<void>)[]> {
  return Promise.all([
    standInAuthorities(connection),
    standIn(connection, contactLookups.byIds, async ({ ids }) => ({
      contacts: ids.flatMap((id) => knownContacts.get(id) ?? []),
    })),
    standIn(connection, campaigns.get, async ({ id }) => {
      const campaign = knownCampaigns.get(id);
      if (!campaign) throw campaignNotFound();
      return campaign;
    }),
  ]);
}

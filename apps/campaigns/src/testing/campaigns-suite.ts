import {
  audiences,
  campaignMail,
  domainOf,
  projects,
  senderNotVerified,
  topicChoices,
  topicNotFound,
  topics,
  unavailable,
  type AudienceMember,
  type CampaignMailRecipient,
  type CampaignMailState,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { RunningService } from '@posthorn/platform';
import {
  EventPublisher,
  openServiceFixture,
  standIn,
  type FixtureOptions,
  type ServiceFixture,
} from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startCampaigns } from '../service.js';

export interface HandedRecipient extends CampaignMailRecipient {
  contentId: string;
}

/** The campaigns service with a database and a NATS server of its own, and stand-ins for the services that it calls. */
export interface CampaignsSuite extends Pick<
  ServiceFixture,
  'bus' | 'database' | 'line' | 'environment' | 'buildProject' | 'eventsOf'
> {
  service: RunningService;
  /** The domains that every project may send from. */
  verified: Set<string>;
  /** The audience of every campaign, in the order of ids. */
  members: AudienceMember[];
  /** Contacts who left every topic after the pages were read. */
  leftTopics: Set<string>;
  /** The only topics that any project has. */
  topics: Map<string, { archived: boolean }>;
  /** Pages that fail before the next one is answered. */
  failingPages: number;
  /** Every recipient of every hand-over of a campaign, in order. */
  handedOver(campaignId: string): HandedRecipient[];
  /** Hand-overs of which the answer is lost after sending stored them. */
  lostAnswers: number;
  /** What sending was told of a campaign. */
  statesOf(campaignId: string): CampaignMailState[];
  sending: EventPublisher;
  gateway: EventPublisher;
  stop(): Promise<void>;
}

const standInProject = {
  name: 'Stand-in',
  disabled: false,
  disabledReason: null,
  sandboxHandle: 'p-stand-in',
  createdAt: new Date(),
  updatedAt: new Date(),
  seq: 1,
  timeZone: 'Asia/Tokyo',
};

const standInTopic = {
  projectId: newId(),
  key: 'news',
  name: 'News',
  description: null,
  defaultOptIn: true,
  createdAt: new Date(),
  updatedAt: new Date(),
};

interface Received {
  handed: Map<string, HandedRecipient[]>;
  told: Map<string, CampaignMailState[]>;
}

export async function startCampaignsSuite(
  options: FixtureOptions & { environment?: Record<string, string> } = {},
): Promise<CampaignsSuite> {
  const fixture = await openServiceFixture('campaigns', { entities, migrations }, options);
  const [sending, gateway] = await Promise.all([
    EventPublisher.start(fixture.connection),
    EventPublisher.start(fixture.connection, 'gateway'),
  ]);
  const handed: Received['handed'] = new Map();
  const told: Received['told'] = new Map();
  const suite: Omit<CampaignsSuite, 'service' | 'stop'> = {
    ...fixture,
    verified: new Set(['example.test']),
    members: [],
    leftTopics: new Set(),
    topics: new Map(),
    failingPages: 0,
    handedOver: (id) => handed.get(id) ?? [],
    lostAnswers: 0,
    statesOf: (id) => told.get(id) ?? [],
    sending,
    gateway,
  };
  const leave = await standInFor(fixture, suite, { handed, told });
  const start = () =>
    startCampaigns({
      environment: { ...fixture.environment, ...options.environment },
      processMetrics: false,
    });
  const service = await fixture.carry(start());
  return Object.assign(suite, {
    service,
    stop: async () => {
      await service.stop();
      await Promise.all(leave.map((stop) => stop()));
      await Promise.all([sending.stop(), gateway.stop()]);
      await fixture.close();
    },
  });
}

function standInFor(
  { connection }: ServiceFixture,
  suite: Omit<CampaignsSuite, 'service' | 'stop'>,
  { handed, told }: Received,
): Promise<(() => Promise<void>)[]> {
  return Promise.all([
    standIn(connection, audiences.validate, async () => ({ isValid: true })),
    standIn(connection, audiences.check, async () => ({ hasMembers: suite.members.length > 0 })),
    standIn(connection, audiences.page, async ({ after = '', limit }) => {
      if (suite.failingPages-- > 0) throw unavailable();
      const items = suite.members.filter(({ contactId }) => contactId > after).slice(0, limit);
      return { items, next: items.length < limit ? null : items.at(-1)!.contactId };
    }),
    standIn(connection, topics.get, async ({ id }) => {
      const topic = suite.topics.get(id);
      if (!topic) throw topicNotFound();
      return { ...standInTopic, ...topic, id };
    }),
    standIn(connection, topicChoices.missing, async ({ contactIds }) => ({
      contactIds: contactIds.filter((id) => suite.leftTopics.has(id)),
    })),
    standIn(connection, projects.get, async ({ id }) => ({ ...standInProject, id })),
    standIn(connection, campaignMail.check, async ({ from }) => {
      if (from && !suite.verified.has(domainOf(from))) throw senderNotVerified();
      return { isComplete: true };
    }),
    standIn(connection, campaignMail.prepare, async ({ contentId, from, subject }) => ({
      contentId,
      from: from ?? 'hello@example.test',
      subject: subject ?? '',
      tracksOpens: true,
    })),
    standIn(connection, campaignMail.handOver, async ({ campaignId, contentId, recipients }) => {
      const some = recipients.map((recipient) => ({ ...recipient, contentId }));
      handed.set(campaignId, [...suite.handedOver(campaignId), ...some]);
      if (suite.lostAnswers-- > 0) throw unavailable();
      return { accepted: recipients.length, erased: [], pacePerSecond: 0 };
    }),
    standIn(connection, campaignMail.setState, async ({ campaignId, state }) => {
      told.set(campaignId, [...suite.statesOf(campaignId), state]);
      return { state };
    }),
  ]);
}

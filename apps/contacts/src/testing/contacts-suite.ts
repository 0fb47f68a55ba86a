import {
  listUses,
  mailHistory,
  optOuts,
  type GetMailHistory,
  type MailHistoryEvent,
  type OptOut,
} from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import {
  EventPublisher,
  openServiceFixture,
  sharedInWorker,
  standIn,
  type FixtureOptions,
  type ServiceFixture,
} from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startContacts } from '../service.js';

/** Its conditions are live however slow the machine is, unless a suite says otherwise. */
export async function openContactsFixture(options: FixtureOptions = {}): Promise<ServiceFixture> {
  const fixture = await openServiceFixture('contacts', { entities, migrations }, options);
  return { ...fixture, environment: { ...fixture.environment, SEGMENT_LIVE_MS: '60000' } };
}

/** The contacts service with a database and a NATS server of its own, and a sending service that publishes events, stores opt-outs and has some mail. */
export interface ContactsSuite extends Pick<
  ServiceFixture,
  'bus' | 'nats' | 'queue' | 'connection' | 'database' | 'environment' | 'buildProject' | 'eventsOf'
> {
  service: RunningService;
  restart(): Promise<void>;
  sending: EventPublisher;
  /** The opt-outs that sending received, in order. */
  optOuts: (OptOut & { projectId: string })[];
  /** The mail history of each address in sending. */
  mail: Map<string, MailHistoryEvent[]>;
  /** Sending stops answering. */
  loseSending(): Promise<void>;
  stop(): Promise<void>;
}

export async function startContactsSuite(): Promise<ContactsSuite> {
  const fixture = await openContactsFixture();
  const sending = await EventPublisher.start(fixture.connection);
  const put: ContactsSuite['optOuts'] = [];
  const mail: ContactsSuite['mail'] = new Map();
  const leaveHistory = await standIn(fixture.connection, mailHistory.page, async (requested) => ({
    items: pageOf(mail.get(requested.email) ?? [], requested),
  }));
  const leaveOptOuts = await standIn(
    fixture.connection,
    optOuts.put,
    async ({ optOuts: published }, { projectId }) => {
      put.push(...published.map((optOut) => ({ ...optOut, projectId })));
      return { put: published.length };
    },
  );
  const leaveCampaigns = await standIn(fixture.connection, listUses.campaigns, async () => ({ names: [] }));
  const leave = async () => {
    await Promise.all([leaveOptOuts(), leaveHistory(), leaveCampaigns()]);
  };
  const service = await fixture.carry(
    startContacts({ environment: fixture.environment, processMetrics: false }),
  );
  const suite: ContactsSuite = {
    ...fixture,
    service,
    restart: async () => {
      await suite.service.stop();
      suite.service = await startContacts({ environment: fixture.environment, processMetrics: false });
    },
    sending,
    optOuts: put,
    mail,
    loseSending: leave,
    stop: async () => {
      await suite.service.stop();
      await leave();
      await sending.stop();
      await fixture.close();
    },
  };
  return suite;
}

/** For suites that neither restart or cut it, nor count what is of no project. */
export const borrowContactsSuite: () => Promise<BorrowedContacts> = sharedInWorker(startContactsSuite);

export type BorrowedContacts = Omit<ContactsSuite, 'nats' | 'service' | 'restart' | 'loseSending'>;

/** As sending orders them. */
function pageOf(occurred: MailHistoryEvent[], { limit, after }: GetMailHistory): MailHistoryEvent[] {
  const location = ({ at, id }: { at: Date; id: string }) => `${at.toISOString()} ${id}`;
  const newest = [...occurred].sort((a, b) => (location(a) < location(b) ? 1 : -1));
  return newest.filter((each) => !after || location(each) < location(after)).slice(0, limit);
}

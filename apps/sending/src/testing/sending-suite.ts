import { contacts, serviceCaller, type Caller, type RequestContract } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import type { Bus, BusConnection } from '@posthorn/messaging';
import { Secrets, type RunningService } from '@posthorn/platform';
import {
  openServiceFixture,
  SmtpSink,
  standIn,
  type DatabaseLine,
  type FixtureOptions,
  type ServiceFixture,
} from '@posthorn/testing';
import type { WorkQueue } from '@posthorn/work';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { entities, migrations } from '../data-source.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { DomainsRepository } from '../domains/domains.repository.js';
import { startSending } from '../service.js';

export interface SendingSuite {
  bus: Bus;
  connection: BusConnection;
  database: Database;
  queue: WorkQueue;
  line: DatabaseLine;
  sink: SmtpSink;
  environment: Record<string, string>;
  service: RunningService;
  hasher: ErasedAddressHasher;
  /** Nobody answers for contacts any more. */
  leaveContacts(): Promise<void>;
  buildProject(): Promise<{ caller: Caller; projectId: string; domain: string }>;
  restart(changes?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** Nobody is a contact; mail would wait if nobody answered. */
export const noContacts = (connection: BusConnection) =>
  standIn(connection, contacts.ensureRecipients, async () => ({ contacts: [] }));

export async function startSendingSuite(
  changes: Record<string, string> = {},
  options: FixtureOptions = {},
): Promise<SendingSuite> {
  const [fixture, sink] = await Promise.all([
    openServiceFixture('sending', { entities, migrations }, options),
    SmtpSink.start(),
  ]);
  const { database, bus, connection, line, queue } = fixture;
  const leaveContacts = await noContacts(connection);
  const environment: Record<string, string> = {
    ...fixture.environment,
    SMTP_URL: sink.url,
    SENDING_RATE_PER_SECOND: '0',
    ...changes,
  };
  const service = await fixture
    .carry(startSending({ environment, processMetrics: false }))
    .catch(async (error: unknown) => {
      // An open sink would keep the process from ending.
      await sink.stop();
      throw error;
    });
  const hasher = await ErasedAddressHasher.open(
    database,
    new Secrets(environment['POSTHORN_SECRET_KEY']!.split(',').map((key) => key.trim())),
  );
  const suite: SendingSuite = {
    bus,
    connection,
    database,
    queue,
    line,
    sink,
    environment,
    service,
    hasher,
    leaveContacts,
    buildProject: () => buildSendingProject(fixture),
    restart: async (more = {}) => {
      await suite.service.stop();
      suite.service = await startSending({ environment: { ...environment, ...more }, processMetrics: false });
    },
    stop: async () => {
      await suite.service.stop();
      await Promise.all([fixture.close(), sink.stop()]);
    },
  };
  return suite;
}

export async function buildSendingProject({
  database,
  queue,
}: Pick<ServiceFixture, 'database' | 'queue'>): Promise<{
  caller: Caller;
  projectId: string;
  domain: string;
}> {
  const projectId = newId();
  const domain = `d${projectId.slice(-12)}.example`;
  await new ProjectStates(database).put([
    { id: projectId, name: 'Analytical <Engines>', disabled: false, seq: 1 },
  ]);
  await new DomainsRepository(database, queue).verify(projectId, domain);
  return { projectId, domain, caller: serviceCaller('suite', projectId) };
}

export function buildSend(
  domain: string,
  overrides: Partial<{
    to: string;
    subject: string;
    body: string;
    id: string;
    key: string;
    bodyHash: string;
  }> = {},
) {
  const {
    to = `ok-${newId()}@sink.test`,
    subject = 'Hello',
    body = '<p>Hello</p>',
    id = newId(),
    key,
    bodyHash = 'a'.repeat(64),
  } = overrides;
  return {
    from: { email: `hello@${domain}` },
    subject,
    body,
    recipients: [{ id, to: { email: to } }],
    ...(key ? { idempotency: { key, operation: 'POST /api/v1/emails', bodyHash } } : {}),
  };
}

/** Replaces another service: answers one kind of call, or stays silent where `answer` returns null. */
export async function answerCalls<In extends object, Out extends object>(
  { nats }: BusConnection,
  { subject }: RequestContract<In, Out>,
  answer: (body: In) => Out | null,
): Promise<void> {
  nats.subscribe(`call.${subject}`, {
    callback: (_, message) => {
      const replies = message.json<{ body: In }[]>().map(({ body }) => answer(body));
      if (replies.every((reply) => reply !== null))
        message.respond(JSON.stringify(replies.map((reply) => ({ reply }))));
    },
  });
  await nats.flush();
}

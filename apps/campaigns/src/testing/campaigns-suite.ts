import { domainOf, senderNotVerified, type CheckCampaignMail } from '@posthorn/contracts';
import { openServiceFixture, type FixtureOptions, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startCampaigns } from '../service.js';

/** The campaigns service with a database and a NATS server of its own, and stand-ins that check senders and accept every audience. */
export interface CampaignsSuite extends Pick<
  ServiceFixture,
  'bus' | 'database' | 'line' | 'environment' | 'buildProject' | 'eventsOf'
> {
  /** The domains that every project may send from. */
  verified: Set<string>;
  stop(): Promise<void>;
}

export async function startCampaignsSuite(options: FixtureOptions = {}): Promise<CampaignsSuite> {
  const fixture = await openServiceFixture('campaigns', { entities, migrations }, options);
  const verified = new Set(['example.test']);
  fixture.connection.nats.subscribe('call.sending.campaignMail.check', {
    callback: (_, message) =>
      void message.respond(
        JSON.stringify(message.json<{ body: CheckCampaignMail }[]>().map((call) => answer(verified, call))),
      ),
  });
  fixture.connection.nats.subscribe('call.contacts.audiences.validate', {
    callback: (_, message) =>
      void message.respond(
        JSON.stringify(message.json<object[]>().map(() => ({ reply: { isValid: true } }))),
      ),
  });
  await fixture.connection.nats.flush();
  const service = await fixture.carry(
    startCampaigns({ environment: fixture.environment, processMetrics: false }),
  );
  return {
    ...fixture,
    verified,
    stop: async () => {
      await service.stop();
      await fixture.close();
    },
  };
}

function answer(verified: ReadonlySet<string>, { body }: { body: CheckCampaignMail }): object {
  if (!body.from || verified.has(domainOf(body.from))) return { reply: { isComplete: true } };
  const { kind, code, message, details } = senderNotVerified();
  return { error: { kind, code, message, details } };
}

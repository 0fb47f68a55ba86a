import { domainOf, senderNotVerified, type CheckSend } from '@posthorn/contracts';
import { openServiceFixture, type FixtureOptions, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startCampaigns } from '../service.js';

/** The campaigns service with a database and a NATS server of its own, and a sending service that only checks senders. */
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
  fixture.connection.nats.subscribe('call.sending.emails.check', {
    callback: (_, message) =>
      void message.respond(
        JSON.stringify(message.json<{ body: CheckSend }[]>().map((call) => answer(verified, call))),
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

function answer(verified: ReadonlySet<string>, { body }: { body: CheckSend }): object {
  if (verified.has(domainOf(body.from!.email))) return { reply: { accepted: null } };
  const { kind, code, message, details } = senderNotVerified();
  return { error: { kind, code, message, details } };
}

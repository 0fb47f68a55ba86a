import { contactEvents } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import type { FixtureOptions, ServiceFixture } from '@posthorn/testing';
import { startContacts } from '../../service.js';
import { openContactsFixture } from '../../testing/contacts-suite.js';
import { SegmentsOf } from './segments-suite.js';

/** The contacts service without other services, which tests can stop and start, and the events of its segments. */
export class LiveSuite {
  private service!: RunningService;

  private constructor(readonly fixture: ServiceFixture) {}

  static async start(options: FixtureOptions = {}): Promise<LiveSuite> {
    const suite = new LiveSuite(await openContactsFixture(options));
    await suite.fixture.carry(suite.serve());
    return suite;
  }

  async serve(more: Record<string, string> = {}): Promise<void> {
    this.service = await startContacts({
      environment: { ...this.fixture.environment, ...more },
      processMetrics: false,
    });
  }

  pauseService(): Promise<void> {
    return this.service.stop();
  }

  async stop(): Promise<void> {
    await this.pauseService();
    await this.fixture.close();
  }

  open(): SegmentsOf {
    const { caller, projectId } = this.fixture.buildProject();
    return new SegmentsOf(this.fixture, caller, projectId);
  }

  async published({ projectId }: SegmentsOf): Promise<Record<'entered' | 'exited', string[][]>> {
    const of = async (event: typeof contactEvents.segmentEntered) =>
      (await this.fixture.eventsOf(projectId, event)).map(({ contactId, slug }) => [contactId, slug]);
    return { entered: await of(contactEvents.segmentEntered), exited: await of(contactEvents.segmentLeft) };
  }
}

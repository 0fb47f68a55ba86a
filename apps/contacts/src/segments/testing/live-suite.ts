import { contactFacts } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { openServiceGround, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../../data-source.js';
import { startContacts } from '../../service.js';
import { SegmentsOf } from './segments-suite.js';

/** The contacts service beside nobody, which stops and starts as a test wants, and what is told of its segments. */
export class LiveSuite {
  private service!: RunningService;

  private constructor(readonly ground: ServiceGround) {}

  static async start(): Promise<LiveSuite> {
    const suite = new LiveSuite(await openServiceGround('contacts', { entities, migrations }));
    await suite.ground.carry(suite.serve());
    return suite;
  }

  async serve(more: Record<string, string> = {}): Promise<void> {
    this.service = await startContacts({ environment: { ...this.ground.environment, ...more }, processMetrics: false });
  }

  rest(): Promise<void> {
    return this.service.stop();
  }

  async stop(): Promise<void> {
    await this.rest();
    await this.ground.close();
  }

  open(): SegmentsOf {
    const { caller, projectId } = this.ground.buildProject();
    return new SegmentsOf(this.ground, caller, projectId);
  }

  async told({ projectId }: SegmentsOf): Promise<Record<'entered' | 'exited', string[][]>> {
    const of = async (fact: typeof contactFacts.segmentEntered) =>
      (await this.ground.factsOf(projectId, fact)).map(({ contactId, slug }) => [contactId, slug]);
    return { entered: await of(contactFacts.segmentEntered), exited: await of(contactFacts.segmentLeft) };
  }
}

import { Controller } from '@nestjs/common';
import { emailEvents, simulatorDomain, type EmailBounced, type EmailChangedEvent } from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { GatewayConfig } from '../config.js';
import { reputationKey, reputationWork } from './reputation-kind.js';
import { ReputationRepository, type ReputationMeasure } from './reputation.repository.js';

const afterMs = 1_000;

/** Each event counts once, because its inbox row commits together with its counts. */
@Controller()
export class ReputationSubscribers {
  constructor(
    private readonly reputation: ReputationRepository,
    private readonly queue: WorkQueue,
    private readonly config: GatewayConfig,
  ) {}

  @OnEachEvent([emailEvents.sent], 'reputation')
  async onSent({ projectId, items }: DomainEvent<EmailChangedEvent>): Promise<void> {
    if (await this.count(projectId, 'sent', items)) await this.evaluateIfBad(projectId);
  }

  @OnEachEvent([emailEvents.bounced], 'reputation')
  async onBounced({ projectId, items }: DomainEvent<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    // What the mail server refused is in no other event.
    const refused = permanent.filter((item) => item.refused);
    await this.count(projectId, 'sent', refused);
    if (await this.count(projectId, 'bounced', permanent)) await this.evaluate(projectId);
  }

  @OnEachEvent([emailEvents.complained], 'reputation')
  async onComplained({ projectId, items }: DomainEvent<EmailChangedEvent>): Promise<void> {
    if (await this.count(projectId, 'complained', items)) await this.evaluate(projectId);
  }

  private async count(
    projectId: string,
    measure: ReputationMeasure,
    items: readonly EmailChangedEvent[],
  ): Promise<boolean> {
    const counted = items.filter((item) => this.counts(item)).map(({ at }) => at);
    if (counted.length > 0) await this.reputation.add(projectId, measure, counted);
    return counted.length > 0;
  }

  private evaluate(projectId: string): Promise<void> {
    return this.queue.enqueue(reputationWork, [{ projectId, key: reputationKey, delayMs: afterMs }]);
  }

  /** With more that was sent, a rate counts that did not before. */
  private async evaluateIfBad(projectId: string): Promise<void> {
    if (await this.reputation.isBlemished(projectId)) await this.evaluate(projectId);
  }

  /** Not simulated mail, nor that of TEST keys. */
  private counts({ to, from }: EmailChangedEvent): boolean {
    return !to.endsWith(`@${simulatorDomain}`) && !from?.endsWith(`@${this.config.sandboxDomain}`);
  }
}

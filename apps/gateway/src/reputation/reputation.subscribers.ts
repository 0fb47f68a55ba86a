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
  onSent({ projectId, items }: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.count(projectId, 'sent', items);
  }

  @OnEachEvent([emailEvents.bounced], 'reputation')
  onBounced({ projectId, items }: DomainEvent<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    return this.count(projectId, 'bounced', permanent);
  }

  @OnEachEvent([emailEvents.complained], 'reputation')
  onComplained({ projectId, items }: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.count(projectId, 'complained', items);
  }

  private async count(
    projectId: string,
    measure: ReputationMeasure,
    items: readonly EmailChangedEvent[],
  ): Promise<void> {
    const counted = items.filter((item) => this.counts(item));
    if (counted.length === 0) return;
    await this.reputation.add(
      projectId,
      measure,
      counted.map(({ at }) => at),
    );
    // More that was sent only improves a rate, once there is one.
    if (measure !== 'sent')
      await this.queue.enqueue(reputationWork, [{ projectId, key: reputationKey, delayMs: afterMs }]);
  }

  /** Not simulated mail, nor that of TEST keys. */
  private counts({ to, from }: EmailChangedEvent): boolean {
    return !to.endsWith(`@${simulatorDomain}`) && !from?.endsWith(`@${this.config.sandboxDomain}`);
  }
}

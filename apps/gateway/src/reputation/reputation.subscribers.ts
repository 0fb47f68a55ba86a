import { Injectable } from '@nestjs/common';
import {
  copyEvents,
  emailEvents,
  simulatorDomain,
  type CopyBounced,
  type EmailBounced,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { GatewayConfig } from '../config.js';
import { reputationKey, reputationWork } from './reputation-judgement.js';
import { ReputationRepository, type ReputationMeasure } from './reputation.repository.js';

const afterMs = 1_000;

type Counted = Pick<EmailChangedEvent, 'to' | 'from' | 'at'>;

/** Each event counts once, because its inbox row commits together with its counts. */
@Injectable()
export class ReputationSubscribers {
  constructor(
    private readonly reputation: ReputationRepository,
    private readonly queue: WorkQueue,
    private readonly config: GatewayConfig,
  ) {}

  @OnEachEvent([emailEvents.sent, copyEvents.sent], 'reputation')
  async onSent({ projectId, items }: DomainEvent<Counted>): Promise<void> {
    if (await this.count(projectId, 'sent', items)) await this.evaluateIfBad(projectId);
  }

  @OnEachEvent([emailEvents.bounced], 'reputation')
  onBounced({ projectId, items }: DomainEvent<EmailBounced>): Promise<void> {
    return this.countBounced(
      projectId,
      items.filter(({ bounceType }) => bounceType === 'Permanent'),
    );
  }

  @OnEachEvent([copyEvents.bounced], 'reputation')
  onCopyBounced({ projectId, items }: DomainEvent<CopyBounced>): Promise<void> {
    return this.countBounced(projectId, items);
  }

  @OnEachEvent([emailEvents.complained, copyEvents.complained], 'reputation')
  async onComplained({ projectId, items }: DomainEvent<Counted>): Promise<void> {
    if (await this.count(projectId, 'complained', items)) await this.evaluate(projectId);
  }

  private async countBounced(
    projectId: string,
    permanent: readonly (Counted & { refused?: boolean })[],
  ): Promise<void> {
    // All hours are locked here, in their order; those of what was refused are among them.
    const hasBounced = await this.count(projectId, 'bounced', permanent);
    // What the mail server refused is in no other event.
    const refused = permanent.filter((item) => item.refused);
    await this.count(projectId, 'sent', refused);
    if (hasBounced) await this.evaluate(projectId);
  }

  private async count(
    projectId: string,
    measure: ReputationMeasure,
    items: readonly Counted[],
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
  private counts({ to, from }: Counted): boolean {
    return !to.endsWith(`@${simulatorDomain}`) && !from?.endsWith(`@${this.config.sandboxDomain}`);
  }
}

import { Injectable } from '@nestjs/common';
import {
  emailEvents,
  type EmailBounced,
  type EmailChangedEvent,
  type EmailEngaged,
  type EmailFailed,
} from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { selfPauseWork } from '../launching/launch-work.js';
import { reportOfBounce, reportOfCancelling, reportOfFailure, sentAnd, type Report } from './report.js';
import { ResultsRepository } from './results.repository.js';

type About = Pick<EmailChangedEvent, 'emailId' | 'campaignId'>;

const ofCampaign = {
  concerns: (item: object): boolean => typeof (item as About | null)?.campaignId === 'string',
};

@Injectable()
export class ResultsSubscribers {
  constructor(
    private readonly results: ResultsRepository,
    private readonly queue: WorkQueue,
  ) {}

  @OnEachEvent([emailEvents.sent], 'results', ofCampaign)
  onSent(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, () => sentAnd());
  }

  @OnEachEvent([emailEvents.delivered], 'results', ofCampaign)
  onDelivered(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, () => sentAnd('delivered'));
  }

  @OnEachEvent([emailEvents.bounced], 'results', ofCampaign)
  onBounced(event: DomainEvent<EmailBounced>): Promise<void> {
    return this.apply(event, reportOfBounce);
  }

  @OnEachEvent([emailEvents.failed], 'results', ofCampaign)
  async onFailed(event: DomainEvent<EmailFailed>): Promise<void> {
    await this.apply(event, reportOfFailure);
    const overAllowance = event.items.filter(({ failureKind }) => failureKind === 'quota_exhausted');
    await this.pause(event.projectId, new Set(overAllowance.map(({ campaignId }) => campaignId)));
  }

  @OnEachEvent([emailEvents.cancelled], 'results', ofCampaign)
  onCancelled(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, () => reportOfCancelling);
  }

  @OnEachEvent([emailEvents.opened], 'results', ofCampaign)
  onOpened(event: DomainEvent<EmailEngaged>): Promise<void> {
    return this.apply(event, ({ isMachine }) => (isMachine ? null : sentAnd('opened')));
  }

  @OnEachEvent([emailEvents.clicked], 'results', ofCampaign)
  onClicked(event: DomainEvent<EmailEngaged>): Promise<void> {
    return this.apply(event, ({ isMachine }) => (isMachine ? null : sentAnd('clicked')));
  }

  @OnEachEvent([emailEvents.complained], 'results', ofCampaign)
  onComplained(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, () => sentAnd('complained'));
  }

  @OnEachEvent([emailEvents.unsubscribed], 'results', ofCampaign)
  onUnsubscribed(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, () => sentAnd('unsubscribed'));
  }

  /** What is not handed over yet waits, instead of being skipped like these. */
  private async pause(projectId: string, campaignIds: ReadonlySet<string | null | undefined>): Promise<void> {
    const ids = [...campaignIds].filter((id) => typeof id === 'string');
    const payload = { reason: 'QUOTA', why: 'the allowance of the project is used up' } as const;
    await this.queue.enqueue(
      selfPauseWork,
      ids.map((campaignId) => ({ projectId, key: campaignId, payload: { ...payload, campaignId } })),
    );
  }

  private async apply<Item extends About>(
    { projectId, items }: DomainEvent<Item>,
    reportOf: (item: Item) => Report | null,
  ): Promise<void> {
    const reports = items.flatMap((item) => {
      const report = item.campaignId ? reportOf(item) : null;
      return report ? [{ ...report, campaignId: item.campaignId!, emailId: item.emailId }] : [];
    });
    if (reports.length > 0) await this.results.apply(projectId, reports);
  }
}

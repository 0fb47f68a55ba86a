import { Injectable } from '@nestjs/common';
import {
  emailEvents,
  type EmailAccepted,
  type EmailBounced,
  type EmailEngaged,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { DailyCounts, type DailyMeasure } from './daily-counts.repository.js';

/** Each event counts once, because its inbox row commits together with its counts. */
@Injectable()
export class DailyCountsSubscribers {
  constructor(private readonly counts: DailyCounts) {}

  @OnEvent(emailEvents.accepted, 'daily-emails')
  onAccepted({ projectId, items }: DomainEvent<EmailAccepted>): Promise<void> {
    return this.count(projectId, 'emails', items);
  }

  @OnEvent(emailEvents.delivered, 'daily-delivered')
  onDelivered({ projectId, items }: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.count(projectId, 'delivered', items);
  }

  /** Transient bounces do not count, because the message may still be delivered (the API specification, Bounce rules). */
  @OnEvent(emailEvents.bounced, 'daily-bounces')
  onBounced({ projectId, items }: DomainEvent<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    return this.count(projectId, 'bounces', permanent);
  }

  @OnEvent(emailEvents.opened, 'daily-opens')
  onOpened({ projectId, items }: DomainEvent<EmailEngaged>): Promise<void> {
    return this.count(projectId, 'opens', byPeople(items));
  }

  @OnEvent(emailEvents.clicked, 'daily-clicks')
  onClicked({ projectId, items }: DomainEvent<EmailEngaged>): Promise<void> {
    return this.count(projectId, 'clicks', byPeople(items));
  }

  private async count(projectId: string, measure: DailyMeasure, items: { at: Date }[]): Promise<void> {
    const instants = items.map(({ at }) => at);
    if (instants.length > 0) await this.counts.add(projectId, measure, instants);
  }
}

/** Without scanners, which also fetch pixels and follow links (docs/api-decisions.md §3). */
const byPeople = (items: EmailEngaged[]): EmailEngaged[] => items.filter(({ isMachine }) => !isMachine);

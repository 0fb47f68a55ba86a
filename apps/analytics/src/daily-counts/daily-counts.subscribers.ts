import { Controller } from '@nestjs/common';
import { emailFacts, type EmailAccepted, type EmailBounced, type EmailEngaged, type EmailFact } from '@posthorn/contracts';
import { Hears, type Fact } from '@posthorn/messaging';
import { DailyCounts, type DailyMeasure } from './daily-counts.repository.js';

/** Each fact counts once: its inbox row commits together with its counts. */
@Controller()
export class DailyCountsSubscribers {
  constructor(private readonly counts: DailyCounts) {}

  @Hears(emailFacts.accepted, 'daily-emails')
  onAccepted({ projectId, items }: Fact<EmailAccepted>): Promise<void> {
    return this.count(projectId, 'emails', items);
  }

  @Hears(emailFacts.delivered, 'daily-delivered')
  onDelivered({ projectId, items }: Fact<EmailFact>): Promise<void> {
    return this.count(projectId, 'delivered', items);
  }

  /** A transient bounce is no bounce of any rate (interface.md, Bounce rules): the message may still be delivered. */
  @Hears(emailFacts.bounced, 'daily-bounces')
  onBounced({ projectId, items }: Fact<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    return this.count(projectId, 'bounces', permanent);
  }

  @Hears(emailFacts.opened, 'daily-opens')
  onOpened({ projectId, items }: Fact<EmailEngaged>): Promise<void> {
    return this.count(projectId, 'opens', byPeople(items));
  }

  @Hears(emailFacts.clicked, 'daily-clicks')
  onClicked({ projectId, items }: Fact<EmailEngaged>): Promise<void> {
    return this.count(projectId, 'clicks', byPeople(items));
  }

  private async count(projectId: string, measure: DailyMeasure, items: { at: Date }[]): Promise<void> {
    const instants = items.map(({ at }) => at);
    if (instants.length > 0) await this.counts.add(projectId, measure, instants);
  }
}

/** Scanners fetch pixels and follow links as well; they are kept apart from what people do (contract.md §3). */
const byPeople = (items: EmailEngaged[]): EmailEngaged[] => items.filter(({ isMachine }) => !isMachine);

import { Controller } from '@nestjs/common';
import { contactEvents, type ContactEvent } from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { OptOutsRepository } from './opt-outs.repository.js';

@Controller()
export class OptOutsSubscribers {
  constructor(private readonly optOuts: OptOutsRepository) {}

  /** Who came back is told by its event alone; who left was put before the contact changed, and the event only repairs. */
  @OnEachEvent([contactEvents.subscribed, contactEvents.unsubscribed], 'opt-outs')
  onSubscription({ projectId, items }: DomainEvent<ContactEvent>): Promise<void> {
    return this.optOuts.follow(projectId, items);
  }
}

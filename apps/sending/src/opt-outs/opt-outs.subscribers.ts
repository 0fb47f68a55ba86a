import { Injectable } from '@nestjs/common';
import { contactEvents, type ContactEvent } from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { OptOutsRepository } from './opt-outs.repository.js';

@Injectable()
export class OptOutsSubscribers {
  constructor(private readonly optOuts: OptOutsRepository) {}

  /** Opt-outs were stored before the contact changed, so their events only repair; subscriptions arrive by event alone. */
  @OnEachEvent([contactEvents.subscribed, contactEvents.unsubscribed], 'opt-outs')
  onSubscription({ projectId, items }: DomainEvent<ContactEvent>): Promise<void> {
    return this.optOuts.follow(projectId, items);
  }
}

import { Controller } from '@nestjs/common';
import { contactFacts, type ContactFact } from '@posthorn/contracts';
import { HearsEach, type Fact } from '@posthorn/messaging';
import { OptOutsRepository } from './opt-outs.repository.js';

@Controller()
export class OptOutsSubscribers {
  constructor(private readonly optOuts: OptOutsRepository) {}

  /** Who came back is told by its fact alone; who left was put before the contact changed, and the fact only repairs. */
  @HearsEach([contactFacts.subscribed, contactFacts.unsubscribed], 'opt-outs')
  onSubscription({ projectId, items }: Fact<ContactFact>): Promise<void> {
    return this.optOuts.follow(projectId, items);
  }
}

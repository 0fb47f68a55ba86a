import { Injectable } from '@nestjs/common';
import { usageEvents, type UsageWarned } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { UsageMails } from './usage-mails.js';

@Injectable()
export class UsageSubscribers {
  constructor(private readonly mails: UsageMails) {}

  @OnEvent(usageEvents.warned, 'usage-mails')
  async onWarned({ projectId, items }: DomainEvent<UsageWarned>): Promise<void> {
    for (const warned of items) await this.mails.warn(projectId, warned);
  }
}

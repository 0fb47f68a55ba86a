import { Controller } from '@nestjs/common';
import {
  engagement,
  type EmailId,
  type EmailLinks,
  type RecordedEngagement,
  type RecordedUnsubscribe,
  type RecordEngagement,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { EngagementService } from './engagement.service.js';

@Controller()
export class EngagementHandlers {
  constructor(private readonly service: EngagementService) {}

  @Handles(engagement.record)
  record({ body }: Incoming<RecordEngagement>): Promise<RecordedEngagement> {
    return this.service.record(body);
  }

  @Handles(engagement.unsubscribed)
  unsubscribed({ caller, body }: Incoming<EmailId>): Promise<RecordedUnsubscribe> {
    return this.service.unsubscribed(caller.projectId, body.id);
  }

  @Handles(engagement.links)
  links({ caller, body }: Incoming<EmailId>): Promise<EmailLinks> {
    return this.service.linksOf(caller.projectId, body.id);
  }
}

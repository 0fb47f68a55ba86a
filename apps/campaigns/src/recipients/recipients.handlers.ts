import { Controller } from '@nestjs/common';
import {
  campaignRecipients,
  type CampaignId,
  type CampaignProgress,
  type CampaignRecipient,
  type CampaignReport,
  type FailurePage,
  type ListFailures,
  type ListRecipients,
  type RecipientOfCampaign,
  type RecipientPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { RecipientsService } from './recipients.service.js';

@Controller()
export class RecipientsHandlers {
  constructor(private readonly service: RecipientsService) {}

  @Handles(campaignRecipients.stats)
  stats({ caller, body }: Incoming<CampaignId>): Promise<CampaignReport> {
    return this.service.report(caller.projectId, body.id);
  }

  @Handles(campaignRecipients.progress)
  progress({ caller, body }: Incoming<CampaignId>): Promise<CampaignProgress> {
    return this.service.progress(caller.projectId, body.id);
  }

  @Handles(campaignRecipients.get)
  get({ caller, body }: Incoming<RecipientOfCampaign>): Promise<CampaignRecipient> {
    return this.service.get(caller.projectId, body.id, body.contactId);
  }

  @Handles(campaignRecipients.list)
  list({ caller, body }: Incoming<ListRecipients>): Promise<RecipientPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(campaignRecipients.failures)
  failures({ caller, body }: Incoming<ListFailures>): Promise<FailurePage> {
    return this.service.failures(caller.projectId, body);
  }
}

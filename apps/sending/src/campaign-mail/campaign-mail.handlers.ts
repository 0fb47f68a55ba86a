import { Controller } from '@nestjs/common';
import {
  campaignMail,
  type ArchivedContentId,
  type ArchivedMail,
  type CampaignBody,
  type CampaignHtml,
  type CampaignMailStateSet,
  type CheckCampaignMail,
  type CheckedCampaignMail,
  type HandedOverCampaignMail,
  type HandOverCampaignMail,
  type PrepareCampaign,
  type PreparedCampaign,
  type SetCampaignMailState,
  type TriedCampaignMail,
  type TryCampaignMail,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ArchivedMails } from './archived-mail.js';
import { CampaignTrials } from './campaign-trials.js';
import { CampaignMailService } from './campaign-mail.service.js';

@Controller()
export class CampaignMailHandlers {
  constructor(
    private readonly service: CampaignMailService,
    private readonly trials: CampaignTrials,
    private readonly archives: ArchivedMails,
  ) {}

  @Handles(campaignMail.check)
  check({ caller, body }: Incoming<CheckCampaignMail>): Promise<CheckedCampaignMail> {
    return this.service.check(caller, body);
  }

  @Handles(campaignMail.html)
  async html({ caller, body }: Incoming<CampaignBody>): Promise<CampaignHtml> {
    return { html: await this.service.html(caller.projectId, body) };
  }

  @Handles(campaignMail.tryOut)
  tryOut({ caller, body, deadline }: Incoming<TryCampaignMail>): Promise<TriedCampaignMail> {
    return this.trials.tryOut(caller, body, deadline);
  }

  @Handles(campaignMail.archived)
  archived({ caller, body, deadline }: Incoming<ArchivedContentId>): Promise<ArchivedMail> {
    return this.archives.render(caller.projectId, body.contentId, deadline);
  }

  @Handles(campaignMail.prepare)
  prepare({ caller, body }: Incoming<PrepareCampaign>): Promise<PreparedCampaign> {
    return this.service.prepare(caller, body);
  }

  @Handles(campaignMail.handOver)
  handOver({ caller, body }: Incoming<HandOverCampaignMail>): Promise<HandedOverCampaignMail> {
    return this.service.handOver(caller.projectId, body);
  }

  @Handles(campaignMail.setState)
  setState({ caller, body }: Incoming<SetCampaignMailState>): Promise<CampaignMailStateSet> {
    return this.service.setState(caller.projectId, body);
  }
}

import { Controller } from '@nestjs/common';
import { campaignDryRuns, type CampaignId, type DryRun } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { DryRunsService } from './dry-runs.service.js';

@Controller()
export class DryRunsHandlers {
  constructor(private readonly service: DryRunsService) {}

  @Handles(campaignDryRuns.run)
  run({ caller, body, deadline }: Incoming<CampaignId>): Promise<DryRun> {
    return this.service.run(caller, body.id, deadline);
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '@posthorn/contracts';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchChecks } from './launch-checks.js';
import { Launching } from './launching.js';
import { LaunchesRepository, type LaunchedContent } from './launches.repository.js';

/** Campaigns that were paused before their launch, because they were late or no longer valid: resuming launches them. */
@Injectable()
export class LateLaunches {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly checks: LaunchChecks,
    private readonly launching: Launching,
  ) {}

  /** Null for a campaign that was launched already, or is not paused. */
  async prepared(caller: Caller, id: string): Promise<LaunchedContent | null> {
    const row = await this.campaigns.findOrFail(caller.projectId, id);
    if (row.status !== 'PAUSED' || (await this.launches.find(caller.projectId, id))) return null;
    return this.checks.check(caller, row);
  }

  begin(row: CampaignRow, content: LaunchedContent): Promise<CampaignRow> {
    return this.launching.begin(row, content);
  }
}

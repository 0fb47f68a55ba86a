import { Injectable } from '@nestjs/common';
import type { Caller } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import type { CallTime } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import { LaunchChecks } from './launch-checks.js';
import { LaunchesRepository, type LaunchedContent } from './launches.repository.js';
import { Launching } from './launching.js';

const hourMs = 3_600_000;

/** Campaigns that are paused before their launch, because they are late or no longer valid: resuming launches them. */
@Injectable()
export class LateLaunches {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly checks: LaunchChecks,
    private readonly launching: Launching,
    private readonly config: CampaignsConfig,
    private readonly clock: DatabaseClock,
  ) {}

  async isLate({ scheduledAt }: CampaignRow): Promise<boolean> {
    return (await this.clock.now()).getTime() - scheduledAt!.getTime() > this.config.lateHours * hourMs;
  }

  check(caller: Caller, row: CampaignRow, time?: CallTime): Promise<LaunchedContent> {
    return this.checks.check(caller, row, time);
  }

  async prepared(caller: Caller, id: string): Promise<LaunchedContent | null> {
    const row = await this.campaigns.findOrFail(caller.projectId, id);
    if (row.status !== 'PAUSED' || (await this.launches.find(caller.projectId, id))) return null;
    return this.checks.check(caller, row);
  }

  revive({ projectId, id }: CampaignRow): Promise<boolean> {
    return this.launches.revive(projectId, id);
  }

  unschedule(row: CampaignRow): Promise<void> {
    return this.launching.unschedule(row);
  }

  begin(row: CampaignRow, content: LaunchedContent): Promise<CampaignRow> {
    return this.launching.begin(row, content);
  }
}

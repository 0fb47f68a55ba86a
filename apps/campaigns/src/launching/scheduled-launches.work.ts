import { Injectable } from '@nestjs/common';
import { type Caller, serviceCaller } from '@posthorn/contracts';
import { DatabaseClock, Database } from '@posthorn/database';
import type { CallTime } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import { LaunchChecks } from './launch-checks.js';
import { afterDeathMs, scheduledLaunchWork } from './launch-work.js';
import { LaunchesRepository, type LaunchedContent } from './launches.repository.js';
import { Launching } from './launching.js';
import { isLasting, SelfPauses } from './self-pauses.js';

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

/** Nobody waits for it. */
const time = { timeoutMs: 20_000 };

type Decision = { content: LaunchedContent } | { reason: 'LATE' | 'CONTENT'; why: string };

@Injectable()
export class ScheduledLaunchesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly late: LateLaunches,
    private readonly launching: Launching,
    private readonly pauses: SelfPauses,
    runner: WorkRunner,
  ) {
    runner.register(scheduledLaunchWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const row = await this.campaigns.find(item!.projectId, item!.key!);
    if (row?.status !== 'SCHEDULED') return;
    const decision = await this.decide(row);
    await this.database.transaction(async () => {
      const locked = await this.campaigns.lockOrFail(row.projectId, row.id);
      // Edited meanwhile: the item is due again at once.
      if (locked.status === 'SCHEDULED' && locked.seq !== row.seq) return batch.continueLater(batch.items);
      if (locked.status === 'SCHEDULED') await this.apply(locked, decision);
      await batch.complete();
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.launching.launchLater(projectId, key!, afterDeathMs);
  }

  /** What is no longer valid pauses the campaign; what may pass by itself is tried again. */
  private async decide(row: CampaignRow): Promise<Decision> {
    if (await this.late.isLate(row)) return { reason: 'LATE', why: 'its scheduled time was missed by hours' };
    try {
      return { content: await this.late.check(serviceCaller('campaigns', row.projectId), row, time) };
    } catch (error) {
      if (!isLasting(error)) throw error;
      return { reason: 'CONTENT', why: error.message };
    }
  }

  private async apply(row: CampaignRow, decision: Decision): Promise<void> {
    if ('content' in decision) await this.launching.begin(row, decision.content);
    else await this.pauses.pause(row, decision.reason, decision.why);
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { campaignEvents, DomainError, serviceCaller, type PauseReason } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import { LaunchChecks } from './launch-checks.js';
import type { LaunchedContent } from './launches.repository.js';
import { scheduledLaunchWork } from './launch-kinds.js';
import { Launching } from './launching.js';

const hourMs = 3_600_000;

/** Launches a campaign at its scheduled time. */
@Injectable()
export class ScheduledLaunchesWork implements WorkHandler<object> {
  private readonly log = new Logger('Campaigns');
  private readonly clock: DatabaseClock;

  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly checks: LaunchChecks,
    private readonly launching: Launching,
    private readonly outbox: Outbox,
    runner: WorkRunner,
    private readonly config: CampaignsConfig,
  ) {
    this.clock = new DatabaseClock(database);
    runner.register(scheduledLaunchWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const row = await this.campaigns.find(item!.projectId, item!.key!);
    if (row?.status !== 'SCHEDULED') return;
    const decision = (await this.isLate(row)) ? 'LATE' : await this.prepare(row);
    await this.database.transaction(async () => {
      const locked = await this.campaigns.lockOrFail(row.projectId, row.id);
      // Edited meanwhile: the item is due again at once.
      if (locked.status === 'SCHEDULED' && locked.seq !== row.seq)
        return batch.continueLater(batch.items);
      if (locked.status === 'SCHEDULED') await this.apply(locked, decision);
      await batch.complete();
    });
  }

  private async isLate({ scheduledAt }: CampaignRow): Promise<boolean> {
    return (await this.clock.now()).getTime() - scheduledAt!.getTime() > this.config.lateHours * hourMs;
  }

  /** What is no longer valid pauses the campaign; what may pass by itself is tried again. */
  private async prepare(row: CampaignRow): Promise<LaunchedContent | 'CONTENT'> {
    try {
      return await this.checks.check(serviceCaller('campaigns', row.projectId), row);
    } catch (error) {
      if (!(error instanceof DomainError) || !lasting.has(error.kind)) throw error;
      this.log.warn(`campaign ${row.id} is paused instead of being launched: ${error.message}`);
      return 'CONTENT';
    }
  }

  private async apply(
    row: CampaignRow,
    decision: LaunchedContent | Extract<PauseReason, 'LATE' | 'CONTENT'>,
  ): Promise<void> {
    if (typeof decision === 'object') {
      await this.launching.begin(row, decision);
    } else {
      row.pause(decision);
      const saved = await this.campaigns.save(row);
      await this.outbox.publish(campaignEvents.paused, row.projectId, [saved.toEvent()]);
    }
  }
}

const lasting = new Set<DomainError['kind']>(['invalid', 'forbidden', 'not_found', 'conflict']);

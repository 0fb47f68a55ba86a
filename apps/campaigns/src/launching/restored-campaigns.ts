import { Injectable, Logger } from '@nestjs/common';
import { campaignEvents } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import type { LaunchRow } from './launch.entity.js';
import { MailStates } from './mail-states.js';

const hourMs = 3_600_000;

/** A campaign of which nothing has moved for hours is confirmed by hand: a restored copy does not know what was sent since (docs/guarantees.md G24). */
@Injectable()
export class RestoredCampaigns {
  private readonly log = new Logger('Campaigns');
  private readonly clock: DatabaseClock;

  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly outbox: Outbox,
    private readonly config: CampaignsConfig,
  ) {
    this.clock = new DatabaseClock(database);
  }

  /** Returns whether the campaign is paused now. */
  async pause({ projectId, id }: CampaignRow, { movedAt }: LaunchRow): Promise<boolean> {
    const still = (await this.clock.now()).getTime() - movedAt.getTime();
    if (still <= this.config.lateHours * hourMs) return false;
    await this.database.transaction(async () => {
      const row = await this.campaigns.lockOrFail(projectId, id);
      if (row.status !== 'SENDING') return;
      row.pause('RESTORED');
      const saved = await this.campaigns.save(row);
      await this.states.set(projectId, id, 'PAUSED');
      await this.outbox.publish(campaignEvents.paused, projectId, [saved.toEvent()]);
    });
    this.log.warn(`campaign ${id} is paused: nothing of it has moved since ${movedAt.toISOString()}`);
    return true;
  }
}

import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsConfig } from '../config.js';
import type { LaunchRow } from './launch.entity.js';
import { SelfPauses } from './self-pauses.js';

const hourMs = 3_600_000;

/** A campaign in a restored copy, and one of which nothing has moved for hours, is confirmed by hand: the copy does not know what was sent since (docs/guarantees.md G24). */
@Injectable()
export class RestoredCampaigns {
  private readonly clock: DatabaseClock;

  constructor(
    database: Database,
    private readonly pauses: SelfPauses,
    private readonly config: CampaignsConfig,
  ) {
    this.clock = new DatabaseClock(database);
  }

  async pause(campaign: CampaignRow, { movedAt, isCopy }: LaunchRow): Promise<boolean> {
    const still = (await this.clock.now()).getTime() - movedAt.getTime();
    if (!isCopy && still <= this.config.lateHours * hourMs) return false;
    await this.pauses.pause(
      campaign,
      'RESTORED',
      isCopy
        ? 'this is a restored copy of the database in which it was launched'
        : `nothing of it has moved since ${movedAt.toISOString()}`,
    );
    return true;
  }
}

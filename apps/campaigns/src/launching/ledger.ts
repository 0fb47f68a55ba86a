import { Injectable } from '@nestjs/common';
import { campaignEvents, type CampaignMailRecipient } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { WorkBatch } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignCounts, queuedOf } from '../recipients/campaign-counts.read-model.js';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import type { LaunchRow } from './launch.entity.js';
import { LaunchesRepository } from './launches.repository.js';

const skippedAtOnce = 5_000;

/** The ledger of a launch, and how far it was handed over; each step is one commit, under the lease of its work. */
@Injectable()
export class Ledger {
  constructor(
    private readonly database: Database,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly counts: CampaignCounts,
    private readonly campaigns: CampaignsRepository,
    private readonly outbox: Outbox,
  ) {}

  launch(projectId: string, campaignId: string): Promise<LaunchRow | null> {
    return this.launches.find(projectId, campaignId);
  }

  next(launch: LaunchRow, limit: number): Promise<CampaignMailRecipient[]> {
    return this.recipients.toHandOver(launch, { handedOver: false, limit });
  }

  handedOver(
    launch: LaunchRow,
    handed: readonly CampaignMailRecipient[],
    nextDueAt: Date | null,
    batch: WorkBatch,
  ): Promise<void> {
    return this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      await this.recipients.handedOver(
        launch,
        handed.map(({ id }) => id),
      );
      await this.launches.moved(launch, nextDueAt);
    });
  }

  moved(launch: LaunchRow): Promise<void> {
    return this.launches.moved(launch, launch.nextDueAt);
  }

  /** SENT once everybody has a row and each row an outcome. Returns whether the campaign is over, or no longer being sent. */
  async finish({ projectId, id }: CampaignRow, batch: WorkBatch): Promise<boolean> {
    if (!(await this.isOver(projectId, id))) return false;
    await this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      const row = await this.campaigns.lockOrFail(projectId, id);
      if (row.status !== 'SENDING') return;
      row.finish((await this.counts.now(projectId, id)).now);
      const saved = await this.campaigns.save(row);
      await this.outbox.publish(campaignEvents.sent, projectId, [saved.toEvent()]);
    });
    return true;
  }

  private async isOver(projectId: string, id: string): Promise<boolean> {
    const [launch, counts] = [await this.launches.find(projectId, id), await this.counts.now(projectId, id)];
    return launch!.isFrozen && queuedOf(counts) === 0;
  }

  /** Of a cancelled campaign: who was not handed over is skipped; the others are by sending. */
  async skipRest(launch: LaunchRow, batch: WorkBatch): Promise<void> {
    let skipped: number;
    do {
      skipped = await this.database.transaction(async () => {
        await batch.hold(batch.items[0]!);
        return this.recipients.skipRest(launch, skippedAtOnce);
      });
      if (batch.stopping) return batch.continueLater(batch.items);
    } while (skipped === skippedAtOnce);
  }
}

import { Injectable } from '@nestjs/common';
import { campaignEvents, type CampaignMailRecipient } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { WorkBatch, WorkItem } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignCounts, queuedOf } from '../recipients/recipients.read-model.js';
import {
  RecipientsRepository,
  type NewRecipient,
  type QueuedRecipient,
} from '../recipients/recipients.repository.js';
import type { LaunchRow } from './launch.entity.js';
import { LaunchesRepository } from './launches.repository.js';

/** For more the planner reads the whole table instead of looking them up. */
const skippedAtOnce = 1_000;

export interface HandedOver {
  handed: readonly CampaignMailRecipient[];
  erased: readonly string[];
  nextDueAt: Date | null;
}

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

  async launched(item: WorkItem): Promise<{ campaign: CampaignRow; launch: LaunchRow } | null> {
    const { projectId, key } = item;
    const campaign = await this.campaigns.find(projectId, key!);
    const launch = await this.launches.find(projectId, key!);
    return campaign && launch && { campaign, launch };
  }

  launch(projectId: string, campaignId: string): Promise<LaunchRow | null> {
    return this.launches.find(projectId, campaignId);
  }

  /** The rows of one page and its position. False where the campaign is cancelled: nothing is added any more. */
  addPage(
    launch: LaunchRow,
    rows: readonly NewRecipient[],
    next: string | null,
    batch: WorkBatch,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      const status = await this.campaigns.statusForShare(launch.projectId, launch.campaignId);
      if (status === 'CANCELLED') return false;
      await this.launches.lock(launch);
      await this.recipients.add(launch, rows);
      await this.launches.frozenTo(launch, next, next === null);
      return true;
    });
  }

  counted(projectId: string, campaignId: string): ReturnType<CampaignCounts['now']> {
    return this.counts.now(projectId, campaignId);
  }

  async next(launch: LaunchRow, limit: number, until: Date | null): Promise<QueuedRecipient[]> {
    const queued = until
      ? await this.recipients.due(launch, { until, limit })
      : await this.recipients.queued(launch, limit);
    const ids = queued.map(({ id }) => id);
    if (launch.winner !== null && ids.length > 0) await this.recipients.assign(launch, ids, launch.winner);
    return queued;
  }

  async putOff(launch: LaunchRow, rows: readonly { id: string; dueAt: Date }[]): Promise<void> {
    if (rows.length > 0) await this.recipients.putOff(launch, rows);
  }

  inHand(launch: LaunchRow, after: string | null, limit: number): Promise<QueuedRecipient[]> {
    return this.recipients.inHand(launch, { after, limit });
  }

  handedOver(launch: LaunchRow, { handed, erased, nextDueAt }: HandedOver, batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      await this.recipients.handedOver(
        launch,
        handed.map(({ id }) => id),
      );
      if (erased.length > 0) await this.recipients.skip(launch, erased, 'invalid_recipient');
      await this.launches.moved(launch, nextDueAt);
    });
  }

  /** Who left the topic since the audience was frozen. */
  async leftTopic(launch: LaunchRow, emailIds: readonly string[], batch: WorkBatch): Promise<void> {
    if (emailIds.length === 0) return;
    await this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      await this.recipients.skip(launch, emailIds, 'topic');
    });
  }

  moved(launch: LaunchRow): Promise<void> {
    return this.launches.moved(launch, launch.nextDueAt);
  }

  /** SENT once everybody has a row and each row an outcome. Returns whether the campaign is over, or no longer being sent. */
  async finish({ projectId, id }: CampaignRow, batch: WorkBatch): Promise<boolean> {
    if (!(await this.isOver(projectId, id))) return false;
    await this.database.transaction(async () => {
      // Before the item, as a transition does.
      const row = await this.campaigns.lockOrFail(projectId, id);
      await batch.hold(batch.items[0]!);
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

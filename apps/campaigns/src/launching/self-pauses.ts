import { Injectable, Logger } from '@nestjs/common';
import {
  campaignEvents,
  DomainError,
  type PauseReason,
  projectEvents,
  type ProjectEvent,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox, OnEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler, WorkQueue } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { selfPauseWork, type SelfPause } from './launch-work.js';
import { MailStates } from './mail-states.js';

const lastingKinds = new Set<DomainError['kind']>(['invalid', 'forbidden', 'not_found', 'conflict']);

/** An error that trying again does not mend. */
export const isLasting = (error: unknown): error is DomainError =>
  error instanceof DomainError && lastingKinds.has(error.kind);

/** Pauses a campaign without being asked to; people resume it. */
@Injectable()
export class SelfPauses {
  private readonly log = new Logger('Campaigns');

  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly outbox: Outbox,
  ) {}

  /** Not of one that is only scheduled. */
  async pauseSending(
    campaign: Pick<CampaignRow, 'projectId' | 'id'>,
    reason: PauseReason,
    why: string,
  ): Promise<void> {
    const row = await this.campaigns.find(campaign.projectId, campaign.id);
    if (row?.status === 'SENDING') await this.pause(campaign, reason, why);
  }

  async pause(
    { projectId, id }: Pick<CampaignRow, 'projectId' | 'id'>,
    reason: PauseReason,
    why: string,
  ): Promise<void> {
    await this.database.transaction(async () => {
      const row = await this.campaigns.lockOrFail(projectId, id);
      if (row.status !== 'SENDING' && row.status !== 'SCHEDULED') return;
      if (row.status === 'SENDING') await this.states.set(projectId, id, 'PAUSED');
      row.pause(reason);
      const saved = await this.campaigns.save(row);
      await this.outbox.publish(campaignEvents.paused, projectId, [saved.toEvent()]);
    });
    this.log.warn(`campaign ${id} is paused: ${why}`);
  }
}

@Injectable()
export class SelfPausesWork implements WorkHandler<SelfPause> {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly pauses: SelfPauses,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(selfPauseWork, this);
  }

  async run({ items: [item] }: WorkBatch<SelfPause>): Promise<void> {
    const { projectId, payload } = item!;
    const { campaignId, reason, why } = payload;
    const ids = campaignId ? [campaignId] : await this.campaigns.beingSent(projectId);
    for (const id of ids) await this.pauses.pauseSending({ projectId, id }, reason, why);
  }

  /** Mail of a disabled project waits for a day and then fails: its campaigns stop instead. */
  @OnEvent(projectEvents.changed, 'campaign-pauses')
  async onProject({ projectId, items }: DomainEvent<ProjectEvent>): Promise<void> {
    const last = items.reduce((a, b) => (a.seq > b.seq ? a : b));
    if (!last.disabled) return;
    const reason = last.disabledReason === 'EMAIL_REPUTATION' ? 'REPUTATION' : 'OPERATOR';
    const payload = { reason, why: 'its project is disabled' } as const;
    await this.queue.enqueue(selfPauseWork, [{ projectId, key: 'project', payload }]);
  }
}

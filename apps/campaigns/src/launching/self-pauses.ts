import { Injectable, Logger } from '@nestjs/common';
import { campaignEvents, DomainError, type PauseReason } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
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

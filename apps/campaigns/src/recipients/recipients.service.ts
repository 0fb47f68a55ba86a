import { Injectable } from '@nestjs/common';
import {
  campaignNotFound,
  recipientNotFound,
  type CampaignProgress,
  type CampaignRecipient,
  type CampaignReport,
  type FailurePage,
  type ListFailures,
  type ListRecipients,
  type RecipientPage,
} from '@posthorn/contracts';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignCounts } from './campaign-counts.read-model.js';
import { RecipientPages } from './recipient-pages.read-model.js';

/** What became of the people of a campaign. */
@Injectable()
export class RecipientsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly counts: CampaignCounts,
    private readonly pages: RecipientPages,
  ) {}

  async report(projectId: string, id: string): Promise<CampaignReport> {
    const report = await this.counts.report(projectId, id);
    if (!report) throw campaignNotFound();
    return report;
  }

  async get(projectId: string, id: string, contactId: string): Promise<CampaignRecipient> {
    const recipient = await this.pages.find(projectId, id, contactId);
    if (!recipient) throw recipientNotFound();
    return recipient;
  }

  async progress(projectId: string, id: string): Promise<CampaignProgress> {
    const { status } = await this.campaigns.findOrFail(projectId, id);
    const { total, done, seconds } = await this.counts.progress(projectId, id);
    const pacePerSecond = seconds > 0 ? Math.round((10 * done) / seconds) / 10 : 0;
    const queued = total - done;
    const isMoving = status === 'SENDING' && pacePerSecond > 0;
    return {
      id,
      status,
      total,
      done,
      queued,
      pacePerSecond,
      secondsLeft: isMoving ? Math.ceil(queued / pacePerSecond) : null,
    };
  }

  async list(projectId: string, query: ListRecipients): Promise<RecipientPage> {
    const page = await this.pages.page(projectId, query);
    if (page.items.length === 0) await this.campaigns.findOrFail(projectId, query.id);
    return page;
  }

  /** `total` on both surfaces. */
  async failures(projectId: string, query: ListFailures): Promise<FailurePage> {
    const [page, { failed }] = await Promise.all([
      this.pages.failures(projectId, query),
      this.report(projectId, query.id),
    ]);
    return { ...page, total: failed };
  }
}

import { Injectable } from '@nestjs/common';
import {
  campaignNotFound,
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

  async list(projectId: string, query: ListRecipients): Promise<RecipientPage> {
    const page = await this.pages.page(projectId, query);
    if (page.items.length === 0) await this.campaigns.findOrFail(projectId, query.id);
    return page;
  }

  /** `total` on both surfaces (interface.md). */
  async failures(projectId: string, query: ListFailures): Promise<FailurePage> {
    const [page, { failed }] = await Promise.all([
      this.pages.failures(projectId, query),
      this.report(projectId, query.id),
    ]);
    return { ...page, total: failed };
  }
}

import { Injectable } from '@nestjs/common';
import {
  recipientNotFound,
  type CampaignProgress,
  type CampaignRecipient,
  type CampaignReport,
  type CampaignVariant,
  type FailurePage,
  type ListFailures,
  type ListRecipients,
  type RecipientPage,
} from '@posthorn/contracts';
import { cappedTotal, totalCap } from '@posthorn/database';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { VariantReports } from '../variants/variant-reports.js';
import { CampaignCounts } from './campaign-counts.read-model.js';
import { RecipientPages, type StoredRecipient } from './recipient-pages.read-model.js';

@Injectable()
export class RecipientsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly counts: CampaignCounts,
    private readonly pages: RecipientPages,
    private readonly variants: VariantReports,
  ) {}

  async report(projectId: string, id: string): Promise<CampaignReport> {
    const campaign = await this.campaigns.findOrFail(projectId, id);
    const [counts, variants] = await Promise.all([
      this.counts.report(projectId, id),
      this.variants.of(campaign),
    ]);
    return { ...counts, ...variants };
  }

  async get(projectId: string, id: string, contactId: string): Promise<CampaignRecipient> {
    const recipient = await this.pages.find(projectId, id, contactId);
    if (!recipient) throw recipientNotFound();
    return named(recipient, (await this.campaigns.findOrFail(projectId, id)).variants);
  }

  async progress(projectId: string, id: string): Promise<CampaignProgress> {
    const { status, timing } = await this.campaigns.findOrFail(projectId, id);
    const { total, done, seconds } = await this.counts.progress(projectId, id);
    const pacePerSecond = seconds > 0 ? Math.round((10 * done) / seconds) / 10 : 0;
    const queued = total - done;
    const isMoving = status === 'SENDING' && pacePerSecond > 0;
    const atPace = isMoving ? Math.ceil(queued / pacePerSecond) : null;
    return {
      id,
      status,
      total,
      done,
      queued,
      pacePerSecond,
      // Who is due in the morning does not come sooner because others came at night.
      secondsLeft:
        timing && status === 'SENDING' ? await this.counts.secondsUntilLastDue(projectId, id) : atPace,
    };
  }

  async list(projectId: string, query: ListRecipients): Promise<RecipientPage> {
    const { variants } = await this.campaigns.findOrFail(projectId, query.id);
    const [page, total] = await Promise.all([
      this.pages.page(projectId, query),
      query.withTotal ? this.totalOf(projectId, query) : {},
    ]);
    return { ...page, items: page.items.map((row) => named(row, variants)), ...total };
  }

  /** Exact but for one reason, whose rows are counted up to the cap. */
  private async totalOf(
    projectId: string,
    { id, outcome, reason }: ListRecipients,
  ): Promise<Pick<RecipientPage, 'total' | 'totalIsCapped'>> {
    if (reason !== undefined)
      return cappedTotal(await this.pages.count(projectId, { id, outcome, reason }, totalCap + 1));
    return { total: await this.counts.ofOutcome(projectId, id, outcome) };
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

const named = (
  { variant, ...recipient }: StoredRecipient,
  variants: readonly CampaignVariant[] | null,
): CampaignRecipient => ({
  ...recipient,
  variant: variant === null ? null : (variants?.[variant]?.name ?? null),
});

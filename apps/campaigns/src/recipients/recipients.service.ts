import { Injectable } from '@nestjs/common';
import {
  type CampaignReport,
  type CampaignVariant,
  type VariantReport,
  type WinnerMeasure,
  recipientNotFound,
  campaignRecipients,
  type CampaignProgress,
  type CampaignRecipient,
  type FailurePage,
  type ListFailures,
  type ListRecipients,
  type RecipientPage,
  type CampaignId,
  type RecipientOfCampaign,
} from '@posthorn/contracts';
import { cappedTotal, totalCap } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { countedBy, intervalOf, type CountsOfVariant } from '../variants/winner.js';
import {
  VariantCounts,
  CampaignCounts,
  RecipientPages,
  type StoredRecipient,
} from './recipients.read-model.js';

@Injectable()
export class VariantReports {
  constructor(private readonly counts: VariantCounts) {}

  async of({
    projectId,
    id,
    variants,
    test,
  }: CampaignRow): Promise<Pick<CampaignReport, 'variants' | 'winner' | 'decidedBy'>> {
    if (!variants || !test) return { variants: [], winner: null, decidedBy: null };
    const counts = await this.counts.of(projectId, id, variants.length);
    const { winner, decidedBy } = await this.counts.decision(projectId, id);
    return {
      variants: variants.map((variant, index) => reportOf(variant, counts[index]!, test.winnerBy)),
      winner: winner === null ? null : (variants[winner]?.name ?? null),
      decidedBy,
    };
  }
}

function reportOf({ name }: CampaignVariant, counts: CountsOfVariant, measure: WinnerMeasure): VariantReport {
  const { sent, opened, clicked } = counts;
  const rate = (part: number) => (sent === 0 ? 0 : Math.round((1_000 * part) / sent) / 10);
  return {
    name,
    ...counts,
    openRate: rate(opened),
    clickRate: rate(clicked),
    interval: intervalOf(countedBy(counts, measure === 'MANUAL' ? 'OPENS' : measure), sent),
  };
}

@Injectable()
export class RecipientsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly counts: CampaignCounts,
    private readonly pages: RecipientPages,
    private readonly variants: VariantReports,
  ) {}

  @Handles(campaignRecipients.stats)
  stats({ caller, body }: Incoming<CampaignId>): Promise<CampaignReport> {
    return this.report(caller.projectId, body.id);
  }

  private async report(projectId: string, id: string): Promise<CampaignReport> {
    const campaign = await this.campaigns.findOrFail(projectId, id);
    const [counts, variants] = await Promise.all([
      this.counts.report(projectId, id),
      this.variants.of(campaign),
    ]);
    return { ...counts, ...variants };
  }

  @Handles(campaignRecipients.get)
  async get({
    caller: { projectId },
    body: { id, contactId },
  }: Incoming<RecipientOfCampaign>): Promise<CampaignRecipient> {
    const recipient = await this.pages.find(projectId, id, contactId);
    if (!recipient) throw recipientNotFound();
    return named(recipient, (await this.campaigns.findOrFail(projectId, id)).variants);
  }

  @Handles(campaignRecipients.progress)
  async progress({ caller: { projectId }, body: { id } }: Incoming<CampaignId>): Promise<CampaignProgress> {
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

  @Handles(campaignRecipients.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListRecipients>): Promise<RecipientPage> {
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
  @Handles(campaignRecipients.failures)
  async failures({ caller: { projectId }, body: query }: Incoming<ListFailures>): Promise<FailurePage> {
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

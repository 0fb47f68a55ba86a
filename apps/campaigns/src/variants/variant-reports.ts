import { Injectable } from '@nestjs/common';
import type { CampaignReport, CampaignVariant, VariantReport, WinnerMeasure } from '@posthorn/contracts';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { VariantCounts } from '../recipients/recipients.read-model.js';
import { countedBy, intervalOf, type CountsOfVariant } from './winner.js';

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

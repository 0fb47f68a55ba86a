import {
  maxDryRunFailures,
  maxDryRunSamples,
  type AudienceMember,
  type CampaignTiming,
  type DryRun,
  type DryRunFailure,
  type DryRunSample,
  type Finding,
  type TriedCampaignMail,
} from '@posthorn/contracts';
import type { CampaignRow } from '../campaigns/campaign.entity.js';

const daySeconds = 86_400;

export class DryRunSums {
  private total = 0;
  private rendered = 0;
  private failed = 0;
  private readonly excluded: Record<string, number> = {};
  private readonly failures: DryRunFailure[] = [];
  private readonly samples: DryRunSample[] = [];
  private from = '';
  private pacePerSecond = 0;

  /** Returns those who would be handed over. */
  enter(members: readonly AudienceMember[], subscribedOnly: boolean): AudienceMember[] {
    this.total += members.length;
    const reasons = members.map(({ excluded, subscribed }) =>
      excluded ? 'excluded' : subscribedOnly && !subscribed ? 'unsubscribed' : null,
    );
    for (const reason of reasons) if (reason) this.exclude(reason, 1);
    return members.filter((_, index) => reasons[index] === null);
  }

  add(tried: TriedCampaignMail, count: number): void {
    const { suppressed, unsubscribed, capped, failures, samples, from, pacePerSecond } = tried;
    this.exclude('suppressed', suppressed.length);
    this.exclude('unsubscribed', unsubscribed.length);
    this.exclude('frequency_cap', capped.length);
    this.rendered += count - suppressed.length - unsubscribed.length - capped.length;
    this.failed += failures.length;
    this.failures.push(...failures.slice(0, maxDryRunFailures - this.failures.length));
    this.samples.push(...samples.map(({ rendered, ...recipient }) => ({ ...recipient, ...shown(rendered) })));
    Object.assign(this, { from, pacePerSecond });
  }

  get missingSamples(): number {
    return maxDryRunSamples - this.samples.length;
  }

  result({ sendRate, timing }: Pick<CampaignRow, 'sendRate' | 'timing'>): DryRun {
    const left = Object.values(this.excluded).reduce((sum, count) => sum + count, 0);
    const recipients = this.total - left;
    const pace = paceOf(this.pacePerSecond, sendRate);
    return {
      total: this.total,
      recipients,
      excluded: this.excluded,
      samples: this.samples,
      renderFailures: { count: this.failed, first: this.failures },
      rendered: this.rendered,
      sender: { from: this.from, aligned: true, findings: findingsOf(this.samples) },
      pacePerSecond: pace,
      estimatedSeconds: Math.max(pace === 0 ? 0 : Math.ceil(recipients / pace), longestWait(timing)),
    };
  }

  private exclude(reason: string, count: number): void {
    if (count > 0) this.excluded[reason] = (this.excluded[reason] ?? 0) + count;
  }
}

/** In seconds, without quiet hours. */
const longestWait = (timing: CampaignTiming | null): number =>
  (timing?.spreadMinutes ?? 0) * 60 + (timing?.localTime === undefined ? 0 : daySeconds);

const shown = ({ subject, html, text, findings }: TriedCampaignMail['samples'][number]['rendered']) => ({
  subject,
  html,
  text,
  findings,
});

/** The lower one of the campaign's rate and the general pace; 0: unlimited. */
function paceOf(pacePerSecond: number, sendRate: number | null): number {
  const rates = [pacePerSecond, sendRate === null ? 0 : sendRate / 60].filter((rate) => rate > 0);
  return rates.length === 0 ? 0 : Math.min(...rates);
}

const findingsOf = (samples: readonly DryRunSample[]): Finding[] => [
  ...new Map(samples.flatMap(({ findings }) => findings).map((finding) => [finding.rule, finding])).values(),
];

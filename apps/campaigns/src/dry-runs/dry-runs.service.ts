import { Injectable } from '@nestjs/common';
import {
  campaignMail,
  isMjml,
  maxTriedRecipients,
  campaignDryRuns,
  type AudienceMember,
  type AudiencePage,
  type Caller,
  type DryRun,
  type CampaignId,
  maxDryRunFailures,
  maxDryRunSamples,
  type CampaignTiming,
  type DryRunFailure,
  type DryRunSample,
  type Finding,
  type TriedCampaignMail,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { LimitedRuns } from '@posthorn/platform';
import { AudiencePages, skipReasonOf } from '../audiences/audience-pages.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { assignedTo } from '../variants/assignment.js';

type Content = Pick<CampaignRow, 'subject' | 'body' | 'templateId' | 'from' | 'fromName' | 'emailCategory'>;

interface Run {
  caller: Caller;
  sums: DryRunSums;
  /** No part of the audience is tried out later. */
  until: number;
}

/** Of the time that the caller waits; the rest is for the answer. */
const marginMs = 3_000;
/** Of that, for what begins at the end. */
const lastCallMs = 2_000;
const atOnce = 3;
/** Each of them keeps threads of sending busy. */
const limits = { what: 'dry runs', running: 2, perProject: 1, waitingPerProject: 4, waiting: 16 };

/** Goes through the whole audience of a campaign as its sending would, and stores nothing. */
@Injectable()
export class DryRunsService {
  private readonly runs = new LimitedRuns(limits);

  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly pages: AudiencePages,
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(campaignDryRuns.run)
  async run({ caller, body: { id }, deadline }: Incoming<CampaignId>): Promise<DryRun> {
    const row = await this.campaigns.findOrFail(caller.projectId, id);
    const remainingMs = await this.clock.msUntil(deadline);
    return this.runs.run(caller.projectId, id, remainingMs, () => this.goThrough(caller, row, deadline));
  }

  private async goThrough(caller: Caller, row: CampaignRow, deadline: Date | null): Promise<DryRun> {
    const sums = new DryRunSums();
    const until = (await this.clock.now()).getTime() + ((await this.clock.msUntil(deadline)) ?? 0) - marginMs;
    const run = { caller, sums, until };
    // First for nobody: what is wrong with the campaign itself is said before the audience is read.
    const contents = await this.contentsOf(run, row);
    for (const content of contents) await this.tryOut(run, content, []);
    let after: string | null = null;
    do {
      const { items, next } = await this.page(run, row, after);
      const reached = sums.enter(items, row);
      for (const [content, members] of byContent(row, contents, reached))
        await this.renderAll(run, content, members);
      after = next;
    } while (after !== null);
    return sums.result(row);
  }

  /** MJML is compiled once, and not for each part of the audience. */
  private contentsOf(run: Run, row: CampaignRow): Promise<Content[]> {
    const contents: Content[] = row.variants?.map((variant) => ({ ...row, ...variant })) ?? [row];
    return Promise.all(
      contents.map(async (content) => {
        const { body } = content;
        if (!isMjml(body)) return content;
        const { html } = await this.bus.call(campaignMail.html, run.caller, { body }, await this.timeOf(run));
        return { ...content, body: html };
      }),
    );
  }

  private async page(run: Run, row: CampaignRow, after: string | null): Promise<AudiencePage> {
    const position = { after, until: await this.clock.now(), ...(await this.timeOf(run)) };
    return this.pages.members(run.caller, row, position);
  }

  /** As far as the time suffices. */
  private async renderAll(run: Run, row: Content, members: readonly AudienceMember[]): Promise<void> {
    for (let first = 0; first < members.length; first += atOnce * maxTriedRecipients) {
      if ((await this.clock.now()).getTime() > run.until) return;
      const parts = Array.from({ length: atOnce }, (_, part) => {
        const from = first + part * maxTriedRecipients;
        return members.slice(from, from + maxTriedRecipients);
      }).filter((part) => part.length > 0);
      // One by one as long as samples are missing, so that no more than three are answered.
      if (run.sums.missingSamples > 0) for (const part of parts) await this.tryOut(run, row, part);
      else await Promise.all(parts.map((part) => this.tryOut(run, row, part)));
    }
  }

  private async tryOut(
    run: Run,
    { subject, body, templateId, from, fromName, emailCategory: category }: Content,
    members: readonly AudienceMember[],
  ): Promise<void> {
    const { caller, sums } = run;
    const recipients = members.map(({ contactId, email }) => ({ contactId, email }));
    const draft = {
      subject,
      body,
      templateId,
      from,
      fromName,
      category,
      recipients,
      samples: sums.missingSamples,
    };
    sums.add(
      await this.bus.call(campaignMail.tryOut, caller, draft, await this.timeOf(run)),
      recipients.length,
    );
  }

  /** Services load what renders at its first use, which takes long on a busy machine; nothing outlives the caller. */
  private async timeOf({ until }: Run): Promise<{ timeoutMs: number }> {
    return { timeoutMs: Math.max(1, until + lastCallMs - (await this.clock.now()).getTime()) };
  }
}

/** Who waits for the winner is tried with the first variant. */
function byContent(
  row: CampaignRow,
  contents: readonly Content[],
  members: readonly AudienceMember[],
): [Content, AudienceMember[]][] {
  const groups = Map.groupBy(members, ({ contactId }) => assignedTo(contactId, row).variant ?? 0);
  return contents.map((content, index) => [content, groups.get(index) ?? []]);
}

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
  enter(members: readonly AudienceMember[], campaign: CampaignRow): AudienceMember[] {
    this.total += members.length;
    const reasons = members.map((member) => skipReasonOf(member, campaign));
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

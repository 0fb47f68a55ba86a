import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../random.js';
import type { PauseSpan } from './campaign-evidence.js';
import { stopMs } from '../stops.js';
import type { Tenant } from '../tenant.js';

const goesOnMs = { least: 3_000, most: 14_000 };
const pausedMs = { least: 300, most: 5_000 };
const againMs = 250;
const lookMs = 1_000;
const sentMs = 600_000;
/** A request that nobody answered may have its effect later: when a gateway that stands still goes on, or before the deadline of its call. */
const lateEffectMs = { standing: stopMs.most + 5_000, killed: 10_000 };

type Verb = 'pause' | 'resume';

/** Somebody who pauses a campaign now and then, and resumes it. */
export class Pauses {
  readonly spans: PauseSpan[] = [];
  /** On the monotonic clock: until then a resume without an answer may still have its effect. */
  private doubtfulTo = 0;

  constructor(
    private readonly tenant: Tenant,
    private readonly campaignId: string,
    private readonly random: Random,
  ) {}

  /** So often at most; then it watches over the campaign until it is sent. */
  async run(most: number): Promise<void> {
    while (this.spans.length < most) {
      await delay(this.random.whole(goesOnMs.least, goesOnMs.most));
      const from = await this.until('pause', 'PAUSED');
      if (from === null) return;
      const isSure = performance.timeOrigin + this.doubtfulTo < from;
      await delay(this.random.whole(pausedMs.least, pausedMs.most));
      this.spans.push({ campaignId: this.campaignId, from, to: Date.now(), isSure });
      await this.until('resume', 'SENDING');
    }
    await this.untilSent();
  }

  private async untilSent(): Promise<void> {
    const deadline = performance.now() + sentMs;
    while (performance.now() < deadline) {
      const { status, pausedReason } = await this.campaign();
      if (status === 'SENT') return;
      // A pause that was not answered had its effect late.
      if (pausedReason === 'OPERATOR') await this.until('resume', 'SENDING');
      await delay(lookMs);
    }
    console.log(`campaign ${this.campaignId} is not sent after ${sentMs / 1_000} s`);
  }

  /** When it was answered that the campaign has this status, in milliseconds of 1970; null where it is over. */
  private async until(verb: Verb, wanted: string): Promise<number | null> {
    for (;;) {
      const { status, error, endedAt } = await this.tenant.request('POST', `${this.path}/${verb}`);
      if (status === 200) return performance.timeOrigin + endedAt;
      if (status === null && verb === 'resume') this.doubt(endedAt, error);
      // A try without an answer may have had its effect.
      if (status === 409) {
        const campaign = await this.campaign();
        if (campaign.status === wanted) return campaign.shownAt;
        if (campaign.status === 'SENT') return null;
      }
      await delay(againMs);
    }
  }

  private doubt(endedAt: number, error: string | null): void {
    const lateMs = error === 'no answer' ? lateEffectMs.standing : lateEffectMs.killed;
    this.doubtfulTo = Math.max(this.doubtfulTo, endedAt + lateMs);
  }

  private get path(): string {
    return `/api/v1/campaigns/${this.campaignId}`;
  }

  private async campaign(): Promise<{ status: string; pausedReason: string | null; shownAt: number }> {
    const { body, endedAt } = await this.tenant.answered('GET', this.path);
    const { status, paused_reason } = JSON.parse(body!) as { status: string; paused_reason: string | null };
    return { status, pausedReason: paused_reason, shownAt: performance.timeOrigin + endedAt };
  }
}

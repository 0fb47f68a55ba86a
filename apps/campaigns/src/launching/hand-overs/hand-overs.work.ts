import { Injectable } from '@nestjs/common';
import { maxHandedOver } from '@posthorn/contracts';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import type { CampaignRow } from '../../campaigns/campaign.entity.js';
import { queuedOf } from '../../recipients/campaign-counts.read-model.js';
import { HandOverCalls } from './hand-over-calls.js';
import { dueUntil, quietOnes, roomOf, withQuietTimes, withTimes } from './hand-over-plan.js';
import { afterDeathMs, handOverWork } from '../launch-kinds.js';
import type { LaunchRow } from '../launch.entity.js';
import { Ledger } from '../ledger.js';
import { RestoredCampaigns } from '../restored-campaigns.js';

/** After these another campaign has its turn. */
const turnMs = 2_000;
/** While outcomes are awaited. */
const restMs = 500;
/** While people are awaited, perhaps for days; what is due in a minute is handed over. */
const timedRestMs = 5_000;

/** Hands the ledger over to sending, batch by batch and about a minute ahead, and ends the campaign when everybody has an outcome. */
@Injectable()
export class HandOversWork implements WorkHandler<object> {
  /** As sending said last; a low one until then. */
  private pacePerSecond = 1;

  constructor(
    private readonly ledger: Ledger,
    private readonly restored: RestoredCampaigns,
    private readonly calls: HandOverCalls,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(handOverWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const launched = await this.ledger.launched(batch.items[0]!);
    if (!launched) return;
    const { campaign, launch } = launched;
    if (campaign.status === 'CANCELLED') return this.ledger.skipRest(launch, batch);
    if (campaign.status !== 'SENDING') return;
    if (await this.restored.pause(campaign, launch)) return;
    await this.handOver(campaign, launch, batch);
    if (await this.ledger.finish(campaign, batch)) return;
    await batch.postpone(batch.items, campaign.timing ? timedRestMs : restMs);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(handOverWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }

  private async handOver(campaign: CampaignRow, launch: LaunchRow, batch: WorkBatch): Promise<void> {
    const until = performance.now() + turnMs;
    while (!batch.stopping && performance.now() < until && (await this.nextBatch(campaign, launch, batch)));
    await this.ledger.moved(launch);
  }

  private async nextBatch(
    { projectId, id, sendRate, timing }: CampaignRow,
    launch: LaunchRow,
    batch: WorkBatch,
  ): Promise<boolean> {
    const counts = await this.ledger.counted(projectId, id);
    const plan = { ...counts, sendRate, pacePerSecond: this.pacePerSecond, nextDueAt: launch.nextDueAt };
    const room = Math.min(roomOf(plan), maxHandedOver);
    if (room === 0 || queuedOf(counts) === counts.inHand) return false;
    // Who is within quiet hours makes room for the others.
    const limit = timing?.quietHours ? maxHandedOver : room;
    const next = await this.ledger.next(launch, limit, dueUntil(timing, counts.now));
    if (next.length === 0) return false;
    const quiet = quietOnes(next, timing, counts.now);
    await this.ledger.putOff(launch, quiet);
    const awake = withQuietTimes(withoutThose(next, quiet).slice(0, room), timing, counts.now);
    const { recipients, nextDueAt } = withTimes(awake, plan);
    if (recipients.length === 0) return true;
    const { pacePerSecond, erased } = await this.calls.handOver(launch, recipients);
    this.pacePerSecond = pacePerSecond;
    await this.ledger.handedOver(launch, { handed: recipients, erased, nextDueAt }, batch);
    launch.nextDueAt = nextDueAt;
    return true;
  }
}

function withoutThose<Item extends { id: string }>(items: readonly Item[], left: readonly { id: string }[]) {
  const ids = new Set(left.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
}

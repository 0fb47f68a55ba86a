import { Injectable } from '@nestjs/common';
import {
  campaignMail,
  serviceCaller,
  topicChoices,
  type CampaignMailRecipient,
  maxHandedOver,
} from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { topicOf } from '../campaigns/audience.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignsConfig } from '../config.js';
import { queuedOf } from '../recipients/recipients.read-model.js';
import type { QueuedRecipient } from '../recipients/recipients.repository.js';
import { dueUntil, quietOnes, roomOf, withQuietTimes, withTimes } from './hand-over-plan.js';
import { afterDeathMs, handOverWork, dueAgainWork, type DueAgain } from './launch-work.js';
import type { LaunchRow } from './launch.entity.js';
import { Ledger } from './ledger.js';
import { SelfPauses } from './self-pauses.js';

type Recipient = QueuedRecipient & Pick<CampaignMailRecipient, 'dueAt'>;

interface HandOverAnswer {
  pacePerSecond: number;
  /** E-mails of people who were erased meanwhile. */
  erased: string[];
}

const timeoutMs = 10_000;

@Injectable()
export class HandOverCalls {
  constructor(private readonly bus: Bus) {}

  /** Those who are not opted in to the topic of the campaign: some may have left since the audience was frozen. */
  async notOptedIn<Some extends Recipient>(
    campaign: CampaignRow,
    recipients: readonly Some[],
  ): Promise<Some[]> {
    const topicId = topicOf(campaign);
    if (topicId === null || recipients.length === 0) return [];
    const { contactIds } = await this.bus.call(
      topicChoices.missing,
      serviceCaller('campaigns', campaign.projectId),
      { topicId, contactIds: recipients.map(({ contactId }) => contactId) },
      { timeoutMs },
    );
    const missing = new Set(contactIds);
    return recipients.filter(({ contactId }) => missing.has(contactId));
  }

  async handOver(launch: LaunchRow, recipients: readonly Recipient[]): Promise<HandOverAnswer> {
    const { projectId, campaignId } = launch;
    const answers = await Promise.all(
      [...Map.groupBy(recipients, ({ variant }) => contentOf(launch, variant))].map(([contentId, some]) =>
        this.bus.call(
          campaignMail.handOver,
          serviceCaller('campaigns', projectId),
          {
            campaignId,
            contentId,
            recipients: some.map(({ variant: _, timeZone: _zone, ...recipient }) => recipient),
          },
          { timeoutMs },
        ),
      ),
    );
    return {
      pacePerSecond: answers[0]?.pacePerSecond ?? 0,
      erased: answers.flatMap(({ erased }) => erased),
    };
  }
}

const contentOf = ({ contentId, variantContents }: LaunchRow, variant: number | null): string =>
  (variant === null ? undefined : variantContents[variant]) ?? contentId;

const hourMs = 3_600_000;

/** A campaign in a restored copy, and one of which nothing has moved for hours, is confirmed by hand: the copy does not know what was sent since (docs/guarantees.md G24). */
@Injectable()
export class RestoredCampaigns {
  private readonly clock: DatabaseClock;

  constructor(
    database: Database,
    private readonly pauses: SelfPauses,
    private readonly config: CampaignsConfig,
  ) {
    this.clock = new DatabaseClock(database);
  }

  async pause(campaign: CampaignRow, { movedAt, isCopy }: LaunchRow): Promise<boolean> {
    const still = (await this.clock.now()).getTime() - movedAt.getTime();
    if (!isCopy && still <= this.config.lateHours * hourMs) return false;
    await this.pauses.pause(
      campaign,
      'RESTORED',
      isCopy
        ? 'this is a restored copy of the database in which it was launched'
        : `nothing of it has moved since ${movedAt.toISOString()}`,
    );
    return true;
  }
}

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

  private async nextBatch(campaign: CampaignRow, launch: LaunchRow, batch: WorkBatch): Promise<boolean> {
    const { projectId, id, sendRate, timing } = campaign;
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
    const left = await this.calls.notOptedIn(campaign, awake);
    await this.ledger.leftTopic(
      launch,
      left.map(({ id: emailId }) => emailId),
      batch,
    );
    const { recipients, nextDueAt } = withTimes(withoutThose(awake, left), plan);
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

/** After a campaign was resumed or cancelled: what sending keeps back until an hour later is marked again now, at the rate of the campaign. */
@Injectable()
export class DueAgainWork implements WorkHandler<DueAgain> {
  private readonly clock: DatabaseClock;

  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly ledger: Ledger,
    private readonly calls: HandOverCalls,
    runner: WorkRunner,
  ) {
    this.clock = new DatabaseClock(database);
    runner.register(dueAgainWork, this);
  }

  async run(batch: WorkBatch<DueAgain>): Promise<void> {
    const [item] = batch.items;
    const { campaignId, after = null, nextDueAt } = item!.payload;
    const { projectId } = item!;
    const campaign = await this.campaigns.find(projectId, campaignId);
    const launch = await this.ledger.launch(projectId, campaignId);
    if (!campaign || !launch || campaign.status === 'PAUSED') return;
    const inHand = await this.ledger.inHand(launch, after, maxHandedOver);
    if (inHand.length === 0) return;
    const timed = withTimes(inHand, {
      now: await this.clock.now(),
      sendRate: campaign.status === 'CANCELLED' ? null : campaign.sendRate,
      nextDueAt: nextDueAt ? new Date(nextDueAt) : null,
    });
    const { recipients } = timed;
    await this.calls.handOver(launch, recipients);
    await this.database.transaction(async () => {
      await batch.hold(item!, {
        campaignId,
        after: recipients.at(-1)!.id,
        ...(timed.nextDueAt ? { nextDueAt: timed.nextDueAt.toISOString() } : {}),
      });
      await batch.continueLater(batch.items);
    });
  }
}

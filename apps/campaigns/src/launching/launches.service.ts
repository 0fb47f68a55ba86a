import { Injectable } from '@nestjs/common';
import {
  Campaign,
  campaignChanged,
  campaignFromTestKey,
  campaignScheduleInThePast,
  campaigns,
  type SendCampaignOnce,
  campaignEvents,
  campaignNotPaused,
  campaignNotSending,
  type Caller,
  type CampaignId,
} from '@posthorn/contracts';
import { DatabaseClock, IdempotencyKeys } from '@posthorn/database';
import { Handles, type Incoming, Outbox } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { CampaignViews } from '../campaigns/campaign-views.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchChecks } from './launch-checks.js';
import { Launching } from './launching.js';
import { MailStates } from './mail-states.js';
import { LateLaunches } from './scheduled-launches.work.js';

@Injectable()
export class LaunchesService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly keys: IdempotencyKeys,
    private readonly checks: LaunchChecks,
    private readonly launching: Launching,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {}

  /** The content is fixed before the transaction; should the campaign be edited in between, nothing is sent. */
  @Handles(campaigns.send)
  async send({ caller, body, deadline }: Incoming<SendCampaignOnce>): Promise<Campaign> {
    const { id, scheduledFor, idempotency } = body;
    const { projectId } = caller;
    const finished = await this.keys.receipt(projectId, idempotency, Campaign);
    if (finished) return finished;
    if (caller.mode === 'TEST') throw campaignFromTestKey();
    const row = await this.campaigns.findOrFail(projectId, id);
    row.refuseIfNotSendable();
    if (scheduledFor && scheduledFor <= (await this.clock.now())) throw campaignScheduleInThePast();
    // Also of a campaign that is scheduled: its faults show now, and not in the night when it is due.
    const content = await this.checks.check(caller, row);
    return this.commits.before(deadline, () =>
      this.keys.once(projectId, idempotency, Campaign, async () => {
        const locked = await this.campaigns.lockOrFail(projectId, id);
        locked.refuseIfNotSendable();
        if (locked.seq !== row.seq) throw campaignChanged();
        const saved = await (scheduledFor
          ? this.launching.schedule(locked, scheduledFor, content)
          : this.launching.beginNow(locked, content));
        return saved.toCampaign();
      }),
    );
  }
}

type Change = (row: CampaignRow) => Promise<CampaignRow>;

// Sending is told before the commit, so that no hand-off begins after the answer; of a cancellation first as
// of a pause, which can be taken back. An item that was committed before tells it how the request ended.
@Injectable()
export class TransitionsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly late: LateLaunches,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
    private readonly views: CampaignViews,
  ) {}

  @Handles(campaigns.pause)
  pause({ caller, body, deadline }: Incoming<CampaignId>): Promise<Campaign> {
    return this.change(caller, body, deadline, async (row) => {
      if (row.status !== 'SENDING') throw campaignNotSending();
      row.pause('OPERATOR');
      await this.states.set(row.projectId, row.id, 'PAUSED');
      return this.save(row, campaignEvents.paused);
    });
  }

  @Handles(campaigns.resume)
  async resume({ caller, body, deadline }: Incoming<CampaignId>): Promise<Campaign> {
    if (caller.mode === 'TEST') throw campaignFromTestKey();
    const late = await this.late.prepared(caller, body.id);
    return this.change(caller, body, deadline, async (row) => {
      if (row.status !== 'PAUSED') throw campaignNotPaused();
      if (await this.late.revive(row)) {
        row.resume();
        return this.save(row, campaignEvents.resumed);
      }
      if (!late) throw campaignNotPaused();
      return this.late.begin(row, late);
    });
  }

  @Handles(campaigns.cancel)
  cancel({ caller, body, deadline }: Incoming<CampaignId>): Promise<Campaign> {
    return this.change(caller, body, deadline, async (row) => {
      row.cancel();
      await this.states.set(row.projectId, row.id, 'PAUSED');
      await this.late.unschedule(row);
      return this.save(row, campaignEvents.cancelled);
    });
  }

  private async change(
    { projectId }: Caller,
    { id }: CampaignId,
    deadline: Date | null,
    change: Change,
  ): Promise<Campaign> {
    await this.campaigns.findOrFail(projectId, id);
    await this.states.repairLater(projectId, id);
    const changed = await this.commits.before(deadline, async () =>
      change(await this.campaigns.lockOrFail(projectId, id)),
    );
    return this.views.one(changed);
  }

  private async save(row: CampaignRow, event: (typeof campaignEvents)['paused']): Promise<CampaignRow> {
    const saved = await this.campaigns.save(row);
    await this.states.follow(row.projectId, row.id);
    await this.outbox.publish(event, row.projectId, [saved.toEvent()]);
    return saved;
  }
}

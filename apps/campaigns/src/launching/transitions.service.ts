import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  campaignFromTestKey,
  campaignNotPaused,
  campaignNotSending,
  type Caller,
  type CampaignId,
} from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WorkQueue } from '@posthorn/work';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { handOverWork, mailStateWork, scheduledLaunchWork } from './launch-kinds.js';
import { LateLaunches } from './late-launches.js';
import { MailStates } from './mail-states.js';

type Change = (row: CampaignRow) => Promise<CampaignRow>;

// Sending is told before the commit, so that no hand-off begins after the answer; of a cancellation first as
// of a pause, which can be taken back. An item that was committed before tells it how the request ended.
@Injectable()
export class TransitionsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly states: MailStates,
    private readonly late: LateLaunches,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  pause({ caller, body, deadline }: Incoming<CampaignId>): Promise<CampaignRow> {
    return this.change(caller, body, deadline, async (row) => {
      if (row.status !== 'SENDING') throw campaignNotSending();
      row.pause('OPERATOR');
      await this.states.set(row.projectId, row.id, 'PAUSED');
      return this.save(row, campaignEvents.paused);
    });
  }

  async resume({ caller, body, deadline }: Incoming<CampaignId>): Promise<CampaignRow> {
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

  cancel({ caller, body, deadline }: Incoming<CampaignId>): Promise<CampaignRow> {
    return this.change(caller, body, deadline, async (row) => {
      row.cancel();
      await this.states.set(row.projectId, row.id, 'PAUSED');
      await this.queue.cancel(scheduledLaunchWork, row.projectId, row.id);
      return this.save(row, campaignEvents.cancelled);
    });
  }

  private async change(
    { projectId }: Caller,
    { id }: CampaignId,
    deadline: Date | null,
    change: Change,
  ): Promise<CampaignRow> {
    await this.campaigns.findOrFail(projectId, id);
    await this.queue.enqueue(mailStateWork, [{ projectId, key: id, delayMs: this.states.repairMs }]);
    return this.commits.before(deadline, async () => change(await this.campaigns.lockOrFail(projectId, id)));
  }

  private async save(row: CampaignRow, event: (typeof campaignEvents)['paused']): Promise<CampaignRow> {
    const { projectId, id } = row;
    const saved = await this.campaigns.save(row);
    for (const kind of [mailStateWork, handOverWork])
      await this.queue.enqueue(kind, [{ projectId, key: id }]);
    await this.outbox.publish(event, projectId, [saved.toEvent()]);
    return saved;
  }
}

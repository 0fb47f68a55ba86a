import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
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
import { dueAgainWork, handOverWork, scheduledLaunchWork } from './launch-kinds.js';
import { LateLaunches } from './late-launches.js';
import { MailStates } from './mail-states.js';

/** Pause, resume and cancel. The row is locked, sending is told, then the change is committed: no hand-off begins after the answer. */
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
      return this.save(row, 'PAUSED', campaignEvents.paused);
    });
  }

  async resume({ caller, body, deadline }: Incoming<CampaignId>): Promise<CampaignRow> {
    const late = await this.late.prepared(caller, body.id);
    return this.change(caller, body, deadline, async (row) => {
      if (row.status !== 'PAUSED') throw campaignNotPaused();
      if (late) return this.late.begin(row, late);
      row.resume();
      const saved = await this.save(row, 'SENDING', campaignEvents.resumed);
      await this.wake(row);
      return saved;
    });
  }

  cancel({ caller, body, deadline }: Incoming<CampaignId>): Promise<CampaignRow> {
    return this.change(caller, body, deadline, async (row) => {
      row.cancel();
      const saved = await this.save(row, 'CANCELLED', campaignEvents.cancelled);
      await this.queue.cancel(scheduledLaunchWork, row.projectId, row.id);
      await this.wake(row);
      return saved;
    });
  }

  private change(
    { projectId }: Caller,
    { id }: CampaignId,
    deadline: Date | null,
    work: (row: CampaignRow) => Promise<CampaignRow>,
  ): Promise<CampaignRow> {
    return this.commits.before(deadline, async () => work(await this.campaigns.lockOrFail(projectId, id)));
  }

  private async save(
    row: CampaignRow,
    state: Parameters<MailStates['set']>[2],
    event: (typeof campaignEvents)['paused'],
  ): Promise<CampaignRow> {
    const saved = await this.campaigns.save(row);
    await this.states.set(row.projectId, row.id, state);
    await this.outbox.publish(event, row.projectId, [saved.toEvent()]);
    return saved;
  }

  /** What was kept back in sending becomes due, and the rest of the ledger goes on or ends. */
  private async wake({ projectId, id }: CampaignRow): Promise<void> {
    for (const kind of [handOverWork, dueAgainWork]) await this.queue.enqueue(kind, [{ projectId, key: id }]);
  }
}

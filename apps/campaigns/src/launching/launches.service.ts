import { Injectable } from '@nestjs/common';
import {
  Campaign,
  campaignChanged,
  campaignFromTestKey,
  campaignScheduleInThePast,
  campaigns,
  type SendCampaignOnce,
} from '@posthorn/contracts';
import { DatabaseClock, IdempotencyKeys } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchChecks } from './launch-checks.js';
import { Launching } from './launching.js';

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

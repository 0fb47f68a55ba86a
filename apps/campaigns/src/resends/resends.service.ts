import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  campaignOpensUntracked,
  maxCampaignName,
  nameOfCopy,
  campaigns,
  type Campaign,
  type ResendCampaignById,
} from '@posthorn/contracts';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { draftOf } from '../campaigns/draft.js';
import { LaunchesRepository } from '../launching/launches.repository.js';

@Injectable()
export class ResendsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  /** With the content that most people got: that of the winner, where there were variants. */
  @Handles(campaigns.resend)
  async resend({ caller, body, deadline }: Incoming<ResendCampaignById>): Promise<Campaign> {
    const { projectId } = caller;
    const first = await this.campaigns.findOrFail(projectId, body.id);
    first.refuseIfNotSent();
    const launch = await this.launches.find(projectId, first.id);
    if (launch && !launch.tracksOpens) throw campaignOpensUntracked();
    const { name: _, ...winner } = first.variants?.[launch?.winner ?? 0] ?? {};
    const draft = draftOf(projectId, {
      ...first,
      ...winner,
      ...(body.subject === undefined ? {} : { subject: body.subject }),
      name: body.name ?? nameOfCopy(first.name, maxCampaignName, 'resend'),
      resendOfId: first.id,
      variants: null,
      test: null,
    });
    const row = await this.commits.before(deadline, async () => {
      const added = await this.campaigns.add(draft);
      await this.outbox.publish(campaignEvents.changed, projectId, [added.toEvent()]);
      return added;
    });
    return row.toCampaign();
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  campaignNotFound,
  campaignNotLaunched,
  campaignArchives,
  type ArchivedContent,
  type CampaignArchive,
  type CampaignId,
  type ArchiveId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchesRepository } from '../launching/launches.repository.js';

/** Which campaigns anybody may read who has the link. */
@Injectable()
export class ArchivesService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly commits: Commits,
  ) {}

  @Handles(campaignArchives.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<CampaignId>): Promise<CampaignArchive> {
    await this.campaigns.findOrFail(projectId, id);
    return { id, archiveId: (await this.launches.find(projectId, id))?.archiveId ?? null };
  }

  /** A link that is known already stays. */
  @Handles(campaignArchives.publish)
  async publish({ caller, body: { id }, deadline }: Incoming<CampaignId>): Promise<CampaignArchive> {
    const { projectId } = caller;
    await this.campaigns.findOrFail(projectId, id);
    const archiveId = await this.commits.before(deadline, () =>
      this.launches.publish(projectId, id, randomUUID()),
    );
    if (archiveId === null) throw campaignNotLaunched();
    return { id, archiveId };
  }

  @Handles(campaignArchives.withdraw)
  async withdraw({ caller, body: { id }, deadline }: Incoming<CampaignId>): Promise<CampaignArchive> {
    await this.campaigns.findOrFail(caller.projectId, id);
    await this.commits.before(deadline, () => this.launches.withdraw(caller.projectId, id));
    return { id, archiveId: null };
  }

  /** With variants, the one that most people got. */
  @Handles(campaignArchives.contentOf)
  async contentOf({
    caller: { projectId },
    body: { archiveId },
  }: Incoming<ArchiveId>): Promise<ArchivedContent> {
    const launch = await this.launches.archived(projectId, archiveId);
    if (!launch) throw campaignNotFound();
    return { contentId: launch.variantContents[launch.winner ?? 0] ?? launch.contentId };
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  campaignNotFound,
  campaignNotLaunched,
  type ArchivedContent,
  type CampaignArchive,
  type CampaignId,
} from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
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

  async get(projectId: string, id: string): Promise<CampaignArchive> {
    await this.campaigns.findOrFail(projectId, id);
    return { id, archiveId: (await this.launches.find(projectId, id))?.archiveId ?? null };
  }

  /** A link that is known already stays. */
  async publish({ caller, body: { id }, deadline }: Incoming<CampaignId>): Promise<CampaignArchive> {
    const { projectId } = caller;
    await this.campaigns.findOrFail(projectId, id);
    const archiveId = await this.commits.before(deadline, () =>
      this.launches.publish(projectId, id, randomUUID()),
    );
    if (archiveId === null) throw campaignNotLaunched();
    return { id, archiveId };
  }

  async withdraw({ caller, body: { id }, deadline }: Incoming<CampaignId>): Promise<CampaignArchive> {
    await this.campaigns.findOrFail(caller.projectId, id);
    await this.commits.before(deadline, () => this.launches.withdraw(caller.projectId, id));
    return { id, archiveId: null };
  }

  /** With variants, the one that most people got. */
  async contentOf(projectId: string, archiveId: string): Promise<ArchivedContent> {
    const launch = await this.launches.archived(projectId, archiveId);
    if (!launch) throw campaignNotFound();
    return { contentId: launch.variantContents[launch.winner ?? 0] ?? launch.contentId };
  }
}

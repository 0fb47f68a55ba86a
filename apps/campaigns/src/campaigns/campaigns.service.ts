import { Injectable } from '@nestjs/common';
import {
  Campaign,
  campaignEvents,
  maxCampaignName,
  nameOfCopy,
  campaigns,
  segmentUses,
  listUses,
  templateUses,
  type CampaignFilter,
  type CampaignId,
  type CampaignPage,
  type CreateCampaignOnce,
  type DeletedCampaign,
  type ListCampaigns,
  type UpdateCampaignById,
  type GetSegmentUses,
  type SegmentUses,
  type ListId,
  type ListUses,
  type CampaignSender,
  type CampaignSenderUse,
  type TemplateId,
  type TemplateUse,
} from '@posthorn/contracts';
import { cappedTotal, IdempotencyKeys, pageWithTotal, type Total } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import type { CampaignRow } from './campaign.entity.js';
import { CampaignViews } from './campaign-views.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { draftOf } from './draft.js';
import { References } from './references.js';

@Injectable()
export class CampaignsService {
  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly keys: IdempotencyKeys,
    private readonly references: References,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
    private readonly views: CampaignViews,
  ) {}

  /** A key that has finished is answered before any check, because the checks may have another result now. */
  @Handles(campaigns.create)
  async create({ caller, body, deadline }: Incoming<CreateCampaignOnce>): Promise<Campaign> {
    const { idempotency, ...wanted } = body;
    const finished = await this.keys.receipt(caller.projectId, idempotency, Campaign);
    if (finished) return finished;
    const draft = draftOf(caller.projectId, wanted);
    draft.refuseFaults();
    await this.references.refuseUnknown(caller, draft, wanted);
    return this.commits.before(deadline, () =>
      this.keys.once(caller.projectId, idempotency, Campaign, async () =>
        (await this.add(draft)).toCampaign(),
      ),
    );
  }

  @Handles(campaigns.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<CampaignId>): Promise<Campaign> {
    return this.views.one(await this.campaigns.findOrFail(projectId, id));
  }

  @Handles(campaigns.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListCampaigns>): Promise<CampaignPage> {
    const page = await pageWithTotal(query, this.campaigns.list(projectId, query), () =>
      this.totalOf(projectId, query),
    );
    return { ...page, items: await this.views.all(projectId, page.items) };
  }

  @Handles(campaigns.update)
  async update({ caller, body, deadline }: Incoming<UpdateCampaignById>): Promise<Campaign> {
    const { id, ...changes } = body;
    // Before anything is asked of other services, which does not matter for a campaign that is missing or cannot be edited.
    const known = await this.campaigns.findOrFail(caller.projectId, id);
    if (known.change(changes)) await this.references.refuseUnknown(caller, known, changes);
    const row = await this.commits.before(deadline, async () => {
      const locked = await this.campaigns.lockOrFail(caller.projectId, id);
      return locked.change(changes) ? this.publish(await this.campaigns.save(locked)) : locked;
    });
    return row.toCampaign();
  }

  @Handles(campaigns.delete)
  async delete({ caller, body, deadline }: Incoming<CampaignId>): Promise<DeletedCampaign> {
    await this.commits.before(deadline, async () => {
      const row = await this.campaigns.lockOrFail(caller.projectId, body.id);
      row.refuseIfNotDraft();
      const at = await this.campaigns.remove(row);
      await this.outbox.publish(campaignEvents.deleted, caller.projectId, [row.toDeletedEvent(at)]);
    });
    return { id: body.id };
  }

  @Handles(campaigns.clone)
  async clone({ caller, body, deadline }: Incoming<CampaignId>): Promise<Campaign> {
    const row = await this.commits.before(deadline, async () => {
      const { name, ...original } = await this.campaigns.findOrFail(caller.projectId, body.id);
      return this.add(draftOf(caller.projectId, { ...original, name: nameOfCopy(name, maxCampaignName) }));
    });
    return row.toCampaign();
  }

  @Handles(campaigns.sendsFrom)
  async sendsFrom({ caller, body }: Incoming<CampaignSender>): Promise<CampaignSenderUse> {
    return { inUse: await this.campaigns.sendsFrom(caller.projectId, body.domain) };
  }

  @Handles(templateUses.campaigns)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.campaigns.anyUnsentBy(caller.projectId, body.id) };
  }

  @Handles(segmentUses.campaigns)
  async usesSegment({ caller, body }: Incoming<GetSegmentUses>): Promise<SegmentUses> {
    return { names: await this.campaigns.unsentTo(caller.projectId, body.id) };
  }

  @Handles(listUses.campaigns)
  async usesList({ caller, body }: Incoming<ListId>): Promise<ListUses> {
    return { names: await this.campaigns.unsentToList(caller.projectId, body.id) };
  }

  private async totalOf(projectId: string, filter: CampaignFilter): Promise<number | Total> {
    if (filter.status === undefined && filter.search === undefined) return this.campaigns.total(projectId);
    return cappedTotal(await this.campaigns.countMatches(projectId, filter));
  }

  private async add(draft: CampaignRow): Promise<CampaignRow> {
    return this.publish(await this.campaigns.add(draft));
  }

  private async publish(row: CampaignRow): Promise<CampaignRow> {
    await this.outbox.publish(campaignEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }
}

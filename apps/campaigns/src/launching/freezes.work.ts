import { Injectable } from '@nestjs/common';
import { audiences, maxAudiencePage, serviceCaller, type AudienceMember } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { audienceOf } from '../campaigns/audience.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { RecipientsRepository, type NewRecipient } from '../recipients/recipients.repository.js';
import { freezeWork } from './launch-kinds.js';
import type { LaunchRow } from './launch.entity.js';
import { LaunchesRepository } from './launches.repository.js';

/** After these another campaign has its turn. */
const pagesPerTurn = 20;
const timeoutMs = 20_000;

/** Writes the audience into the ledger, page by page. After a crash it goes on behind the last page that was committed. */
@Injectable()
export class FreezesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly bus: Bus,
    runner: WorkRunner,
  ) {
    runner.register(freezeWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const campaign = await this.campaigns.find(item!.projectId, item!.key!);
    const launch = await this.launches.find(item!.projectId, item!.key!);
    if (!campaign || !launch || launch.isFrozen || campaign.status === 'CANCELLED') return;
    for (let page = 0; page < pagesPerTurn && !launch.isFrozen; page += 1) {
      await this.nextPage(campaign, launch, batch);
      if (batch.stopping) break;
    }
    if (!launch.isFrozen) await batch.continueLater(batch.items);
  }

  private async nextPage(campaign: CampaignRow, launch: LaunchRow, batch: WorkBatch): Promise<void> {
    const { items, next } = await this.bus.call(
      audiences.page,
      serviceCaller('campaigns', campaign.projectId),
      {
        audience: audienceOf(campaign),
        ...(launch.frozenTo ? { after: launch.frozenTo } : {}),
        until: launch.launchedAt,
        limit: maxAudiencePage,
      },
      { timeoutMs },
    );
    await this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      await this.recipients.add(
        launch,
        items.map((member) => recipientOf(member, campaign)),
      );
      await this.launches.frozenTo(launch, next, next === null);
    });
    Object.assign(launch, { frozenTo: next, isFrozen: next === null });
  }
}

function recipientOf(member: AudienceMember, { emailCategory }: CampaignRow): NewRecipient {
  const unsubscribed = emailCategory === 'MARKETING' && !member.subscribed;
  return { ...member, skipReason: member.excluded ? 'excluded' : unsubscribed ? 'unsubscribed' : null };
}

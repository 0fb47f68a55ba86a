import { Injectable } from '@nestjs/common';
import { campaignMail, maxHandedOver, serviceCaller } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import { dueAgainWork, type DueAgain } from './launch-kinds.js';
import { LaunchesRepository } from './launches.repository.js';

const timeoutMs = 10_000;

/** After a campaign was resumed or cancelled: what sending keeps back until an hour later is marked again now. */
@Injectable()
export class DueAgainWork implements WorkHandler<DueAgain> {
  constructor(
    private readonly database: Database,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly bus: Bus,
    runner: WorkRunner,
  ) {
    runner.register(dueAgainWork, this);
  }

  async run(batch: WorkBatch<DueAgain>): Promise<void> {
    const [item] = batch.items;
    const launch = await this.launches.find(item!.projectId, item!.key!);
    if (!launch) return;
    const recipients = await this.recipients.toHandOver(launch, {
      after: item!.payload.after ?? null,
      handedOver: true,
      limit: maxHandedOver,
    });
    if (recipients.length === 0) return;
    const { projectId, campaignId, contentId } = launch;
    const caller = serviceCaller('campaigns', projectId);
    await this.bus.call(campaignMail.handOver, caller, { campaignId, contentId, recipients }, { timeoutMs });
    await this.database.transaction(async () => {
      await batch.hold(item!, { after: recipients.at(-1)!.id });
      await batch.continueLater(batch.items);
    });
  }
}

import { Injectable } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Database, IdempotencyKeys } from '@posthorn/database';
import {
  addressesIn,
  anyOf,
  EventErasure,
  withoutAddresses,
  Handles,
  type Incoming,
} from '@posthorn/messaging';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchesRepository } from '../launching/launches.repository.js';
import { RecipientsRepository } from '../recipients/recipients.repository.js';

const receiptBatch = 1_000;

/** Removes a person from the ledgers, and an address from audience conditions. Senders and reply addresses stay, because they belong to the project. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly recipients: RecipientsRepository,
    private readonly launches: LaunchesRepository,
    private readonly keys: IdempotencyKeys,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.campaigns)
  async erase({ caller: { projectId }, body: person }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const [pattern, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    await this.database.transaction(async () => {
      const containing = await this.campaigns.lockContaining(projectId, pattern);
      const rewritten = containing.map(({ id, audienceCondition }) => ({
        id,
        audienceCondition: withoutAddresses(audienceCondition, addresses),
      }));
      await this.launches.lockFrozen(projectId);
      await this.recipients.erase(projectId, person.contactId);
      if (rewritten.length > 0) await this.campaigns.rewriteAudiences(projectId, rewritten);
    });
    const noReceipts = await this.keys.erase(projectId, pattern, receiptBatch, (receipt) =>
      withoutAddresses(receipt, addresses),
    );
    return { done: noReceipts && (await this.events.erase({ ...person, projectId })) };
  }
}

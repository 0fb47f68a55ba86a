import { Injectable } from '@nestjs/common';
import type { EraseAddress, ErasedAddress } from '@posthorn/contracts';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { addressesIn, anyOf, EventErasure, withoutAddresses } from '@posthorn/messaging';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';

const receiptsAtOnce = 1_000;

/** A campaign may ask for somebody by their address. From whom it comes, and to whom is replied, is the project's own word, and stays. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly keys: IdempotencyKeys,
    private readonly events: EventErasure,
  ) {}

  async erase(projectId: string, person: EraseAddress): Promise<ErasedAddress> {
    const [texts, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    await this.database.transaction(async () => {
      const containing = await this.campaigns.lockContaining(projectId, texts);
      const reworded = containing.map(({ id, audienceCondition: text }) => ({
        id,
        audienceCondition: withoutAddresses(text, addresses),
      }));
      if (reworded.length > 0) await this.campaigns.rewordAudiences(projectId, reworded);
    });
    const noReceipts = await this.keys.erase(projectId, texts, receiptsAtOnce, (receipt) =>
      withoutAddresses(receipt, addresses),
    );
    return { done: noReceipts && (await this.events.erase({ ...person, projectId })) };
  }
}

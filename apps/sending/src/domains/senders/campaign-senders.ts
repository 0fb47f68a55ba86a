import { Injectable } from '@nestjs/common';
import { campaigns, domainInUse, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

/** What campaigns send from is for campaigns to say; without an answer nothing is removed. */
@Injectable()
export class CampaignSenders {
  constructor(private readonly bus: Bus) {}

  async refuseInUse(caller: Caller, domain: string): Promise<void> {
    const { inUse } = await this.bus.call(campaigns.sendsFrom, caller, { domain });
    if (inUse) throw domainInUse();
  }
}

import { Injectable } from '@nestjs/common';
import { campaigns, domainInUse, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

@Injectable()
export class CampaignSenders {
  constructor(private readonly bus: Bus) {}

  async refuseInUse(caller: Caller, domain: string): Promise<void> {
    const { inUse } = await this.bus.call(campaigns.sendsFrom, caller, { domain });
    if (inUse) throw domainInUse();
  }
}

import { Injectable } from '@nestjs/common';
import { domains, invalidMember, maxDomains, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

@Injectable()
export class KeyDomains {
  constructor(private readonly bus: Bus) {}

  async refuseForeign(caller: Caller, domainId: string | null | undefined): Promise<void> {
    if (!domainId) return;
    const own = await this.bus.call(domains.list, caller, { limit: maxDomains });
    if (!own.items.some(({ id }) => id === domainId.toLowerCase()))
      throw invalidMember(['domainId'], 'not_found', 'must be a domain of this project');
  }
}

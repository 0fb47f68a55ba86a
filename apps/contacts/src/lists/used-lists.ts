import { Injectable } from '@nestjs/common';
import { listUsed, listUses, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

const time = { timeoutShare: 0.45 };

/** A list that a campaign still needs is not deleted; nor is any while campaigns do not answer. */
@Injectable()
export class UsedLists {
  constructor(private readonly bus: Bus) {}

  async refuse(caller: Caller, id: string): Promise<void> {
    const { names } = await this.bus.call(listUses.campaigns, caller, { id }, time);
    if (names.length > 0) throw listUsed(names.map((name) => `the campaign ${name}`));
  }
}

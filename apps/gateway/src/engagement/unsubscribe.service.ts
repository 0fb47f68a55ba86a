import { Injectable } from '@nestjs/common';
import { contacts, serviceCaller, type Caller } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import { TargetRuns } from './target-runs.js';

@Injectable()
export class UnsubscribeService {
  private readonly runs = new TargetRuns();

  constructor(private readonly bus: Bus) {}

  /** After it returns, no marketing mail to the address is handed off. A link needs no credential and can be repeated in any number. */
  unsubscribe(
    { projectId, email }: UnsubscribeTarget,
    client: Pick<Caller, 'address' | 'userAgent'>,
    limitMs: number,
  ): Promise<void> {
    const caller = { ...serviceCaller('gateway', projectId), ...client };
    return this.runs.run(`${projectId} ${email}`, limitMs, async (timeoutMs) => {
      await this.bus.call(contacts.unsubscribe, caller, { email }, { timeoutMs });
    });
  }
}

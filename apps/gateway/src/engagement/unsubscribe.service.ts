import { Injectable, Logger } from '@nestjs/common';
import { contacts, engagement, serviceCaller, type Caller } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import { TargetRuns } from './target-runs.js';

const recordMs = 500;

@Injectable()
export class UnsubscribeService {
  private readonly log = new Logger('Unsubscribes');
  private readonly runs = new TargetRuns();

  constructor(private readonly bus: Bus) {}

  /** After it returns, no marketing mail to the address is handed off. A link needs no credential and can be repeated in any number. */
  unsubscribe(
    { projectId, email, emailId }: UnsubscribeTarget,
    client: Pick<Caller, 'address' | 'userAgent'>,
    limitMs: number,
  ): Promise<void> {
    const caller = { ...serviceCaller('gateway', projectId), ...client };
    return this.runs.run(`${projectId} ${email}`, limitMs, async (timeoutMs) => {
      await this.bus.call(contacts.unsubscribe, caller, { email }, { timeoutMs });
      // For the report of a campaign; the recipient is unsubscribed in any case.
      void this.bus
        .call(engagement.unsubscribed, caller, { id: emailId }, { timeoutMs: recordMs })
        .catch((error: Error) => this.log.warn(`an unsubscribe is not in the report: ${error.message}`));
    });
  }
}

import { Injectable, Logger } from '@nestjs/common';
import {
  contacts,
  engagement,
  preferences,
  serviceCaller,
  type Caller,
  type Preferences,
} from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import { TargetRuns } from './target-runs.js';

const recordMs = 500;

/** Of a list, or of all marketing mail. */
export interface Choice {
  listId: string | null;
  subscribed: boolean;
}

@Injectable()
export class UnsubscribeService {
  private readonly log = new Logger('Unsubscribes');
  private readonly runs = new TargetRuns();

  constructor(private readonly bus: Bus) {}

  /** Null while contacts is unavailable: the link works without it. */
  async look({ projectId, email }: UnsubscribeTarget, timeoutMs: number): Promise<Preferences | null> {
    const caller = serviceCaller('gateway', projectId);
    return this.bus.call(preferences.look, caller, { email }, { timeoutMs }).catch(() => null);
  }

  /** After a choice to leave everything, no marketing mail to the address is handed off. A link needs no credential and can be repeated in any number. */
  choose(
    { projectId, email, emailId }: UnsubscribeTarget,
    choice: Choice,
    client: Pick<Caller, 'ipAddress' | 'userAgent'>,
    limitMs: number,
  ): Promise<void> {
    const caller = { ...serviceCaller('gateway', projectId), ...client };
    const key = JSON.stringify([projectId, email, choice]);
    return this.runs.run(key, limitMs, async (timeoutMs) => {
      await this.store(caller, email, choice, timeoutMs);
      if (choice.subscribed) return;
      // For the report of a campaign; the recipient is unsubscribed in any case.
      void this.bus
        .call(engagement.unsubscribed, caller, { id: emailId }, { timeoutMs: recordMs })
        .catch((error: Error) => this.log.warn(`an unsubscribe is not in the report: ${error.message}`));
    });
  }

  private async store(
    caller: Caller,
    email: string,
    { listId, subscribed }: Choice,
    timeoutMs: number,
  ): Promise<void> {
    const time = { timeoutMs };
    if (listId !== null || subscribed) {
      const change = { email, subscribed, ...(listId === null ? {} : { listId }) };
      const { found } = await this.bus.call(preferences.change, caller, change, time);
      // Whoever wants to leave a list that is gone leaves everything.
      if (found || subscribed) return;
    }
    await this.bus.call(contacts.unsubscribe, caller, { email }, time);
  }
}

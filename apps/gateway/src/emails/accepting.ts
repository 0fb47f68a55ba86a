import { Injectable } from '@nestjs/common';
import { emails, outcomeUnknown, unavailable, type AcceptedEmails, type AcceptEmails, type Caller } from '@posthorn/contracts';
import { Bus, CallFailed } from '@posthorn/messaging';

/** A client hears within two seconds (guarantees.md G17): what is left of them after the answer's own way. */
export const sendBudgetMs = 1_900;
const settleMs = 400;
const marginMs = 50;

/** Hands a send to the sending service, and never leaves its outcome open (guarantees.md G2). */
@Injectable()
export class Accepting {
  constructor(private readonly bus: Bus) {}

  /** `deadline` is an instant of the monotonic clock. */
  async accept(caller: Caller, send: AcceptEmails, deadline: number): Promise<AcceptedEmails> {
    const timeoutMs = Math.max(1, Math.floor(deadline - performance.now() - settleMs - marginMs));
    try {
      return await this.bus.call(emails.accept, caller, send, { timeoutMs });
    } catch (error) {
      if (error instanceof CallFailed && error.reached) return this.settle(caller, send, error);
      throw error;
    }
  }

  /** The gateway minted the ids, so it can void them: then nothing happens later, or it has happened already. */
  private async settle(caller: Caller, { recipients }: AcceptEmails, failure: CallFailed): Promise<AcceptedEmails> {
    const { outcome, accepted } = await this.ask(caller, recipients);
    if (outcome === 'ACCEPTED' && accepted) return accepted;
    throw unavailable(failure.message);
  }

  private async ask(caller: Caller, recipients: AcceptEmails['recipients']) {
    try {
      return await this.bus.call(emails.settle, caller, { recipients }, { timeoutMs: settleMs });
    } catch {
      // Whatever kept the answer away: only a repeat with the same key is safe now.
      throw outcomeUnknown();
    }
  }
}

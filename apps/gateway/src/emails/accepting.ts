import { Injectable } from '@nestjs/common';
import {
  attachmentsTooLarge,
  Base64Text,
  emails,
  maxAttachmentBytes,
  outcomeUnknown,
  unavailable,
  type AcceptBatch,
  type AcceptedBatch,
  type AcceptedEmails,
  type AcceptSend,
  type Caller,
} from '@posthorn/contracts';
import { Bus, CallFailed, shareFor } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';

/** A message is answered within two seconds (docs/guarantees.md G17), and a batch within more by its size; 100 ms are left for the network. What the Postmark dialect does before it accepts leaves `acceptAtLeastMs`. */
const timeoutsOf = ({ answerWithinMs }: GatewayConfig) => ({
  sendMs: (messages = 1) => answerWithinMs * shareFor(messages) - 100,
  checkMs: answerWithinMs * 0.2,
  ensureMs: answerWithinMs * 0.3,
  acceptAtLeastMs: answerWithinMs * 0.45,
  settleMs: answerWithinMs * 0.2,
});
const marginMs = 50;
export const msUntil = (instant: number): number => Math.max(1, Math.floor(instant - performance.now()));
const answerLost = 'The message was not stored; the reason was lost with the reply';

/** Refuses files that are certainly too large without sending them, because the transfer could exceed the deadline. */
function refuseLargeFiles({ attachments = [] }: AcceptSend): void {
  const fewest = attachments.reduce(
    (sum, { content }) => sum + (content instanceof Base64Text ? content.minDecodedBytes : 0),
    0,
  );
  if (fewest > maxAttachmentBytes) throw attachmentsTooLarge();
}

/** Accepts sends. Where the reply is lost it settles what happened (docs/guarantees.md G2); if that fails, too, the answer is 500, outcome unknown. */
@Injectable()
export class Accepting {
  readonly timeouts;

  constructor(
    private readonly bus: Bus,
    config: GatewayConfig,
  ) {
    this.timeouts = timeoutsOf(config);
  }

  async accept(caller: Caller, send: AcceptSend, deadline: number): Promise<AcceptedEmails> {
    refuseLargeFiles(send);
    const timeoutMs = msUntil(deadline - this.timeouts.settleMs - marginMs);
    try {
      return await this.bus.call(emails.accept, caller, send, { timeoutMs });
    } catch (error) {
      if (error instanceof CallFailed && error.isOutcomeUnknown) return this.settle(caller, send, error);
      throw error;
    }
  }

  async acceptBatch(caller: Caller, batch: AcceptBatch, deadline: number): Promise<AcceptedBatch> {
    const timeoutMs = msUntil(deadline - this.timeouts.settleMs - marginMs);
    try {
      return await this.bus.call(emails.acceptBatch, caller, batch, { timeoutMs });
    } catch (error) {
      if (error instanceof CallFailed && error.isOutcomeUnknown && batch.messages.length > 0)
        return this.settleBatch(caller, batch, error);
      throw error;
    }
  }

  private async settleBatch(
    caller: Caller,
    { messages, refused }: AcceptBatch,
    failure: CallFailed,
  ): Promise<AcceptedBatch> {
    const { accepted } = await this.requestSettlement(
      caller,
      messages.flatMap(({ recipients }) => recipients),
    );
    if (!accepted) throw unavailable(failure.message);
    const stored = new Map(accepted.emails.map((email) => [email.id, email]));
    const taken = messages.flatMap(({ index, recipients }) => {
      const email = stored.get(recipients[0]!.id);
      return email ? [{ index, email }] : [];
    });
    const lost = messages.filter(({ recipients }) => !stored.has(recipients[0]!.id));
    return {
      accepted: taken,
      refused: [
        ...refused,
        ...lost.map(({ index }) => ({ index, code: 'enqueue_failed', message: answerLost })),
      ],
    };
  }

  /** The gateway created the ids and can void them: the send has either happened already or never will. */
  private async settle(
    caller: Caller,
    { recipients }: AcceptSend,
    failure: CallFailed,
  ): Promise<AcceptedEmails> {
    const { outcome, accepted } = await this.requestSettlement(caller, recipients);
    if (outcome === 'ACCEPTED' && accepted) return accepted;
    throw unavailable(failure.message);
  }

  private async requestSettlement(caller: Caller, recipients: AcceptSend['recipients']) {
    try {
      return await this.bus.call(
        emails.settle,
        caller,
        { recipients },
        { timeoutMs: this.timeouts.settleMs },
      );
    } catch {
      // Without the outcome, only a repeat with the same key is safe.
      throw outcomeUnknown();
    }
  }
}

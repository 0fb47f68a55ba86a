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
  type AcceptEmails,
  type Caller,
} from '@posthorn/contracts';
import { Bus, CallFailed } from '@posthorn/messaging';

/** A client hears within two seconds (docs/guarantees.md G17): what is left of them after the answer's own way. */
export const sendBudgetMs = 1_900;
const settleMs = 400;
const marginMs = 50;
/** For a call: the rest of the time until an instant of the monotonic clock, at least a millisecond. */
export const msUntil = (instant: number): number => Math.max(1, Math.floor(instant - performance.now()));
const answerLost = 'The message was not stored; why, was lost with the answer';

/** What is surely too large need not travel to be refused: on its way it may meet the deadline first. */
function refuseLargeFiles({ attachments = [] }: AcceptEmails): void {
  const fewest = attachments.reduce(
    (sum, { content }) => sum + (content instanceof Base64Text ? content.fewestBytes : 0),
    0,
  );
  if (fewest > maxAttachmentBytes) throw attachmentsTooLarge();
}

/** Hands a send to the sending service, and never leaves its outcome open (docs/guarantees.md G2). */
@Injectable()
export class Accepting {
  constructor(private readonly bus: Bus) {}

  /** `deadline` is an instant of the monotonic clock. */
  async accept(caller: Caller, send: AcceptEmails, deadline: number): Promise<AcceptedEmails> {
    refuseLargeFiles(send);
    const timeoutMs = msUntil(deadline - settleMs - marginMs);
    try {
      return await this.bus.call(emails.accept, caller, send, { timeoutMs });
    } catch (error) {
      if (error instanceof CallFailed && error.reached) return this.settle(caller, send, error);
      throw error;
    }
  }

  /** A batch as `accept`: where its answer is lost, what it became is asked for, message by message. */
  async acceptBatch(caller: Caller, batch: AcceptBatch, deadline: number): Promise<AcceptedBatch> {
    const timeoutMs = msUntil(deadline - settleMs - marginMs);
    try {
      return await this.bus.call(emails.acceptBatch, caller, batch, { timeoutMs });
    } catch (error) {
      if (error instanceof CallFailed && error.reached && batch.messages.length > 0)
        return this.settleBatch(caller, batch, error);
      throw error;
    }
  }

  private async settleBatch(
    caller: Caller,
    { messages, refused }: AcceptBatch,
    failure: CallFailed,
  ): Promise<AcceptedBatch> {
    const { accepted } = await this.request(
      caller,
      messages.flatMap(({ recipients }) => recipients),
    );
    if (!accepted) throw unavailable(failure.message);
    const stored = new Map(accepted.emails.map((email) => [email.id, email]));
    const taken = messages.flatMap(({ index: index, recipients }) => {
      const email = stored.get(recipients[0]!.id);
      return email ? [{ index, email }] : [];
    });
    const lost = messages.filter(({ recipients }) => !stored.has(recipients[0]!.id));
    return {
      accepted: taken,
      refused: [
        ...refused,
        ...lost.map(({ index: index }) => ({ index, code: 'enqueue_failed', message: answerLost })),
      ],
    };
  }

  /** The gateway minted the ids, so it can void them: then nothing happens later, or it has happened already. */
  private async settle(
    caller: Caller,
    { recipients }: AcceptEmails,
    failure: CallFailed,
  ): Promise<AcceptedEmails> {
    const { outcome, accepted } = await this.request(caller, recipients);
    if (outcome === 'ACCEPTED' && accepted) return accepted;
    throw unavailable(failure.message);
  }

  private async request(caller: Caller, recipients: AcceptEmails['recipients']) {
    try {
      return await this.bus.call(emails.settle, caller, { recipients }, { timeoutMs: settleMs });
    } catch {
      // Whatever kept the answer away: only a repeat with the same key is safe now.
      throw outcomeUnknown();
    }
  }
}

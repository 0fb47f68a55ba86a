import { Injectable, Logger } from '@nestjs/common';
import { DomainError, recipients, type Caller, type Mailbox } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import {
  inactiveRecipients,
  postmarkCodes,
  postmarkErrorOf,
  tooManyMessages,
  type PostmarkAnswer,
} from '../dialects/postmark.js';
import { notJson } from '../wire/errors.js';
import { Accepting, msUntil } from '../emails/accepting.js';
import { readMessage, type ReadMessage } from './postmark-message.js';

export interface PostmarkReceipt extends PostmarkAnswer {
  To: string;
  SubmittedAt: string;
  MessageID: string;
}

const maxMessages = 500;

/** Each message is one e-mail for all its recipients, as long as one visible recipient is not suppressed. Content is not a template. */
@Injectable()
export class PostmarkSends {
  private readonly log = new Logger('PostmarkSends');

  constructor(
    private readonly bus: Bus,
    private readonly accepting: Accepting,
  ) {}

  async send(caller: Caller, message: unknown): Promise<PostmarkReceipt> {
    return this.accept(caller, readMessage(message), performance.now() + this.accepting.timeouts.sendMs());
  }

  /** Results are in the order of the request. A failure common to all messages fails the whole call. */
  async sendBatch(caller: Caller, messages: unknown): Promise<PostmarkAnswer[]> {
    if (!Array.isArray(messages)) throw notJson();
    if (messages.length > maxMessages) throw tooManyMessages(maxMessages);
    const deadline = performance.now() + this.accepting.timeouts.sendMs(messages.length);
    const outcomes = await Promise.all(messages.map((message) => this.tryOne(caller, message, deadline)));
    const [first] = outcomes;
    if (
      first instanceof DomainError &&
      outcomes.every((each) => each instanceof DomainError && each.kind === 'unavailable')
    )
      throw first;
    return outcomes.map((outcome) => (outcome instanceof DomainError ? postmarkErrorOf(outcome) : outcome));
  }

  private async tryOne(
    caller: Caller,
    message: unknown,
    deadline: number,
  ): Promise<PostmarkReceipt | DomainError> {
    try {
      return await this.accept(caller, readMessage(message), deadline);
    } catch (error) {
      if (error instanceof DomainError) return error;
      // The others may be accepted already, so that one message must not fail the call.
      this.log.error((error as Error).stack);
      return new DomainError('internal', 'internal_error', 'An unexpected error occurred');
    }
  }

  private async accept(
    caller: Caller,
    { to, recipients: named, content }: ReadMessage,
    deadline: number,
  ): Promise<PostmarkReceipt> {
    const { cc = [], bcc = [], ...texts } = content;
    const suppressed = await this.suppressedOf(
      caller,
      [...named, ...cc, ...bcc],
      deadline - this.accepting.timeouts.acceptAtLeastMs,
    );
    // The first recipient decides whether the e-mail is sent: not a suppressed one, nor a Bcc, which the header would reveal.
    const first = [...named, ...cc].find(({ email }) => !suppressed.has(email));
    const others = (mailboxes: Mailbox[]) => mailboxes.filter((mailbox) => mailbox !== first);
    // Remaining Bcc recipients get separate e-mails, so that none sees another.
    const whom = first
      ? {
          ...copies({ alsoTo: others(named), cc: others(cc), bcc: others(bcc) }),
          recipients: emailsTo([first]),
        }
      : { recipients: emailsTo(bcc.filter(({ email }) => !suppressed.has(email))) };
    const { emails, acceptedAt } = await this.accepting.accept(
      caller,
      { ...texts, ...whom, verbatim: true },
      deadline,
    );
    return {
      To: to,
      SubmittedAt: acceptedAt.toISOString(),
      MessageID: emails[0]!.id,
      ErrorCode: postmarkCodes.ok,
      Message: 'OK',
    };
  }

  /** Fails only if all recipients are suppressed; otherwise the hand-off skips them. */
  private async suppressedOf(caller: Caller, mailboxes: Mailbox[], deadline: number): Promise<Set<string>> {
    const emails = [...new Set(mailboxes.map(({ email }) => email))];
    const { emails: suppressed } = await this.bus.call(
      recipients.suppressed,
      caller,
      { emails },
      { timeoutMs: msUntil(deadline) },
    );
    if (suppressed.length === emails.length) throw inactiveRecipients(suppressed);
    return new Set(suppressed);
  }
}

const emailsTo = (mailboxes: Mailbox[]) =>
  [...new Map(mailboxes.map((to) => [to.email, to])).values()].map((to) => ({ id: newId(), to }));

const copies = (lists: Record<'alsoTo' | 'cc' | 'bcc', Mailbox[]>): Partial<typeof lists> =>
  Object.fromEntries(Object.entries(lists).filter(([, mailboxes]) => mailboxes.length > 0));

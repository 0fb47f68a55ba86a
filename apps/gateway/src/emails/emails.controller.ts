import { Controller } from '@nestjs/common';
import {
  contacts,
  Email,
  EmailFilter,
  emailNotFound,
  emailNotPending,
  emails,
  EmailWithEvents,
  keyInFlight,
  keyReused,
  LegacySendReceipt,
  outsideDomain,
  outsideSandbox,
  recipientOutsideSandbox,
  SendEmail,
  SendEmails,
  senderMissing,
  senderNotVerified,
  SendReceipt,
  type AcceptedEmails,
  type AcceptEmails,
  type Caller,
  type EmailPage,
  type Mailbox,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { sendBodyLimit } from '../edge/body-reader.js';
import type { Call } from '../edge/call.js';
import { allCallers, Get, Post } from '../edge/route.js';
import { Accepting, sendBudgetMs } from './accepting.js';

const sending = {
  scope: 'emails:send',
  callers: allCallers,
  outcome: 'sent',
  idempotent: true,
  bodyLimit: sendBodyLimit,
  errors: [senderNotVerified, senderMissing, outsideSandbox, recipientOutsideSandbox, outsideDomain, keyInFlight, keyReused],
} as const;

// Contacts must have answered by then, so that the send itself still has its time.
const checkMs = 400;
const ensureMs = 600;

@Controller()
export class EmailsController {
  constructor(
    private readonly bus: Bus,
    private readonly accepting: Accepting,
  ) {}

  @Post('emails', { ...sending, summary: 'Send one message', surfaces: ['v1'], body: SendEmail, reply: SendReceipt })
  async send({ caller, body, idempotency }: Call<SendEmail>): Promise<SendReceipt> {
    const deadline = performance.now() + sendBudgetMs;
    const { to, ...content } = body;
    const accepted = await this.accepting.accept(caller, { ...content, recipients: [{ id: newId(), to }], idempotency }, deadline);
    const { id, to: recipient, from } = accepted.emails[0]!;
    return { id, status: 'PENDING', to: recipient, from };
  }

  @Post('emails', {
    ...sending,
    summary: 'Send a message to each recipient',
    surfaces: ['legacy'],
    body: SendEmails,
    reply: LegacySendReceipt,
  })
  async sendMany({ caller, body, idempotency }: Call<SendEmails>): Promise<LegacySendReceipt> {
    const deadline = performance.now() + sendBudgetMs;
    const { to, ...content } = body;
    const sandboxed = caller.mode === 'TEST' ? { to: to.map(({ email }) => email) } : {};
    const { accepted } = await this.bus.call(emails.check, caller, { from: body.from, ...sandboxed, idempotency }, { timeoutMs: checkMs });
    return legacyReceipt(accepted ?? (await this.acceptWithContacts(caller, to, { ...content, idempotency }, deadline)));
  }

  @Get('emails', { summary: 'List messages, newest first', scope: 'emails:read', query: EmailFilter, paged: 'flat', reply: Email })
  list({ caller, query, page }: Call<object, EmailFilter>): Promise<EmailPage> {
    return this.bus.call(emails.list, caller, { ...query, ...page });
  }

  @Get('emails/:id', {
    summary: 'Get a message with its delivery history',
    scope: 'emails:read',
    reply: EmailWithEvents,
    missing: emailNotFound,
  })
  get({ caller, params }: Call): Promise<EmailWithEvents> {
    return this.bus.call(emails.get, caller, { id: params['id']! });
  }

  @Post('emails/:id/cancel', {
    summary: 'Cancel a message that is still PENDING',
    scope: 'emails:send',
    body: null,
    reply: Email,
    missing: emailNotFound,
    errors: [emailNotPending],
  })
  cancel({ caller, params }: Call): Promise<Email> {
    return this.bus.call(emails.cancel, caller, { id: params['id']! });
  }

  /** The receipt names the contacts, so they are made first (contract.md §3): only for a send that will not be refused. */
  private async acceptWithContacts(
    caller: Caller,
    to: Mailbox[],
    send: Omit<AcceptEmails, 'recipients'>,
    deadline: number,
  ): Promise<AcceptedEmails> {
    const addresses = [...new Set(to.map(({ email }) => email))];
    const ensured = await this.bus.call(contacts.ensure, caller, { emails: addresses }, { timeoutMs: ensureMs });
    const contactIds = new Map(ensured.contacts.map(({ email, id }) => [email, id]));
    const recipients = to.map((mailbox) => ({ id: newId(), to: mailbox, contactId: contactIds.get(mailbox.email) }));
    return this.accepting.accept(caller, { ...send, recipients }, deadline);
  }
}

const legacyReceipt = ({ emails: accepted, acceptedAt }: AcceptedEmails): LegacySendReceipt => ({
  emails: accepted.map(({ id, to: email, contactId }) => ({ contact: { id: contactId!, email }, email: id })),
  timestamp: acceptedAt,
});

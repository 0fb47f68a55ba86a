import { Controller } from '@nestjs/common';
import {
  BatchResult,
  contacts,
  contentNotRetained,
  Email,
  EmailFilter,
  EmailId,
  emailNotFound,
  emailNotPending,
  emailNotScheduled,
  emails,
  EmailWithEvents,
  keyInFlight,
  keyReused,
  LegacySendReceipt,
  onlyTestFromSandbox,
  outsideDomain,
  outsideSandbox,
  recipientOutsideSandbox,
  SendBatch,
  SendEmail,
  SendEmails,
  senderMissing,
  senderNotVerified,
  SendReceipt,
  SentContent,
  contentMissing,
  type AcceptedBatch,
  type AcceptedEmails,
  type AcceptEmails,
  type Caller,
  type EmailPage,
  type Mailbox,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { batchBodyLimit, sendBodyLimit } from '../edge/bodies/body-reader.js';
import type { Call, Entries } from '../edge/routes/call.js';
import { allCallers, Delete, Get, Post } from '../edge/routes/route.js';
import { Accepting, sendBudgetMs } from './accepting.js';

const sending = {
  scope: 'emails:send',
  callers: allCallers,
  outcome: 'sent',
  idempotent: true,
  bodyLimit: sendBodyLimit,
  errors: [
    () => contentMissing('subject'),
    senderNotVerified,
    senderMissing,
    outsideSandbox,
    onlyTestFromSandbox,
    recipientOutsideSandbox,
    outsideDomain,
    keyInFlight,
    keyReused,
  ],
} as const;

// Time limits of preliminary calls, which leave enough of the budget for the send itself.
const checkMs = 400;
const ensureMs = 600;

@Controller()
export class EmailsController {
  constructor(
    private readonly bus: Bus,
    private readonly accepting: Accepting,
  ) {}

  @Post('emails', {
    ...sending,
    summary: 'Send an email',
    surfaces: ['v1'],
    body: SendEmail,
    reply: SendReceipt,
  })
  async send({ caller, body, idempotency }: Call<SendEmail>): Promise<SendReceipt> {
    const deadline = performance.now() + sendBudgetMs;
    const { to, ...content } = body;
    const accepted = await this.accepting.accept(
      caller,
      { ...content, recipients: [{ id: newId(), to }], idempotency },
      deadline,
    );
    const { id, to: recipient, from } = accepted.emails[0]!;
    return { id, status: 'PENDING', to: recipient, from };
  }

  @Post('emails', {
    ...sending,
    summary: 'Send an email to each recipient',
    surfaces: ['legacy'],
    body: SendEmails,
    reply: LegacySendReceipt,
  })
  async sendMany({ caller, body, idempotency }: Call<SendEmails>): Promise<LegacySendReceipt> {
    const deadline = performance.now() + sendBudgetMs;
    const { to, ...content } = body;
    const sandboxed = caller.mode === 'TEST' ? { to: to.map(({ email }) => email) } : {};
    const query = { from: body.from, template: body.template, ...sandboxed, idempotency };
    const { accepted } = await this.bus.call(emails.check, caller, query, { timeoutMs: checkMs });
    return legacyReceipt(
      accepted ?? (await this.acceptWithContacts(caller, to, { ...content, idempotency }, deadline)),
    );
  }

  @Post('emails/batch', {
    ...sending,
    summary: 'Send up to 100 different emails in one call',
    body: SendBatch,
    reply: BatchResult,
    outcome: 'batch',
    eachOf: 'emails',
    bodyLimit: batchBodyLimit,
  })
  async sendBatch({ caller, body, idempotency, entries }: Call<SendBatch>): Promise<Entries> {
    const deadline = performance.now() + sendBudgetMs;
    const { positions, refused } = entries!;
    const messages = body.emails.map(({ to, ...content }, index) => ({
      ...content,
      index: positions[index]!,
      recipients: [{ id: newId(), to }],
    }));
    const known = refused.map((entry) => ({ ...entry, code: 'validation_error' }));
    return resultsOf(
      await this.accepting.acceptBatch(caller, { messages, refused: known, idempotency }, deadline),
    );
  }

  @Get('emails', {
    summary: 'List emails, newest first',
    scope: 'emails:read',
    query: EmailFilter,
    paged: 'flat',
    reply: Email,
  })
  list({ caller, query, page }: Call<object, EmailFilter>): Promise<EmailPage> {
    return this.bus.call(emails.list, caller, { ...query, ...page });
  }

  @Get('emails/:id', {
    summary: 'Get an email with its delivery history',
    scope: 'emails:read',
    reply: EmailWithEvents,
    missing: emailNotFound,
  })
  get({ caller, params }: Call): Promise<EmailWithEvents> {
    return this.bus.call(emails.get, caller, { id: params['id']! });
  }

  @Get('emails/:id/content', {
    summary: 'Get the content of an email while it is retained',
    scope: 'emails:read',
    reply: SentContent,
    missing: emailNotFound,
    errors: [contentNotRetained],
  })
  content({ caller, params }: Call): Promise<SentContent> {
    return this.bus.call(emails.content, caller, { id: params['id']! });
  }

  @Delete('emails/:id/schedule', {
    summary: 'Cancel a scheduled email',
    scope: 'emails:send',
    reply: EmailId,
    outcome: 'deleted',
    missing: emailNotFound,
    errors: [emailNotScheduled],
  })
  unschedule({ caller, params }: Call): Promise<EmailId> {
    return this.bus.call(emails.unschedule, caller, { id: params['id']! });
  }

  @Post('emails/:id/cancel', {
    summary: 'Cancel an email that is still PENDING',
    scope: 'emails:send',
    body: null,
    reply: Email,
    missing: emailNotFound,
    errors: [emailNotPending],
  })
  cancel({ caller, params }: Call): Promise<Email> {
    return this.bus.call(emails.cancel, caller, { id: params['id']! });
  }

  /**
   * The receipt contains contact ids, so contacts are created first, but only for a send that passed the
   * checks (docs/api-decisions.md §3).
   */
  private async acceptWithContacts(
    caller: Caller,
    to: Mailbox[],
    send: Omit<AcceptEmails, 'recipients'>,
    deadline: number,
  ): Promise<AcceptedEmails> {
    const addresses = [...new Set(to.map(({ email }) => email))];
    const ensured = await this.bus.call(
      contacts.ensure,
      caller,
      { emails: addresses },
      { timeoutMs: ensureMs },
    );
    const contactIds = new Map(ensured.contacts.map(({ email, id }) => [email, id]));
    const recipients = to.map((mailbox) => ({
      id: newId(),
      to: mailbox,
      contactId: contactIds.get(mailbox.email),
    }));
    return this.accepting.accept(caller, { ...send, recipients }, deadline);
  }
}

const legacyReceipt = ({ emails: accepted, acceptedAt }: AcceptedEmails): LegacySendReceipt => ({
  emails: accepted.map(({ id, to: email, contactId }) => ({ contact: { id: contactId!, email }, email: id })),
  timestamp: acceptedAt,
});

/** Results in the order of the request. */
function resultsOf({ accepted, refused }: AcceptedBatch): Entries {
  const taken = accepted.map(({ index, email: { id, to, from } }): BatchResult => ({
    index: index,
    status: 'ok',
    data: { id, status: 'PENDING', to, from },
  }));
  const failed = refused.map(({ index, code, message }): BatchResult => ({
    index: index,
    status: 'error',
    error: { code, message },
  }));
  return { items: [...taken, ...failed].sort((a, b) => a.index - b.index), partly: failed.length > 0 };
}

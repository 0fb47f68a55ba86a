import { Injectable } from '@nestjs/common';
import {
  bringsContent,
  contacts,
  emails,
  type AcceptedBatch,
  type AcceptedEmails,
  type AcceptSend,
  type BatchResult,
  type Caller,
  type CheckSend,
  type LegacySendReceipt,
  type Mailbox,
  type SendBatch,
  type SendEmail,
  type SendEmails,
  type SendReceipt,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, shareFor } from '@posthorn/messaging';
import type { RouteRequest, BatchResults } from '../routes/route-request.js';
import { Accepting } from './accepting.js';

@Injectable()
export class SendsService {
  constructor(
    private readonly bus: Bus,
    private readonly accepting: Accepting,
  ) {}

  async send({ caller, body, idempotency }: RouteRequest<SendEmail>): Promise<SendReceipt> {
    const deadline = performance.now() + this.accepting.timeouts.sendMs();
    const { to, ...content } = body;
    const accepted = await this.accepting.accept(
      caller,
      { ...content, recipients: [{ id: newId(), to }], idempotency },
      deadline,
    );
    return receiptOf(accepted.emails[0]!);
  }

  async sendToEach({ caller, body, idempotency }: RouteRequest<SendEmails>): Promise<LegacySendReceipt> {
    const deadline = performance.now() + this.accepting.timeouts.sendMs(body.to.length);
    const { to, ...content } = body;
    const check = { ...checkedParts(caller, body), idempotency };
    const { accepted } = await this.bus.call(emails.check, caller, check, {
      timeoutMs: this.accepting.timeouts.checkMs,
    });
    return legacyReceipt(
      accepted ?? (await this.acceptWithContacts(caller, to, { ...content, idempotency }, deadline)),
    );
  }

  async sendBatch({ caller, body, idempotency, entries }: RouteRequest<SendBatch>): Promise<BatchResults> {
    const deadline = performance.now() + this.accepting.timeouts.sendMs(body.emails.length);
    const { requestIndexes, refused } = entries!;
    const messages = body.emails.map(({ to, ...content }, index) => ({
      ...content,
      index: requestIndexes[index]!,
      recipients: [{ id: newId(), to }],
    }));
    const invalid = refused.map((entry) => ({ ...entry, code: 'validation_error' }));
    return resultsOf(
      await this.accepting.acceptBatch(caller, { messages, refused: invalid, idempotency }, deadline),
    );
  }

  /** The receipt names contacts (docs/api-decisions.md §3); they are created only for a send that passed its checks. */
  private async acceptWithContacts(
    caller: Caller,
    to: Mailbox[],
    send: Omit<AcceptSend, 'recipients'>,
    deadline: number,
  ): Promise<AcceptedEmails> {
    const addresses = [...new Set(to.map(({ email }) => email))];
    const ensured = await this.bus.call(
      contacts.ensure,
      caller,
      { emails: addresses },
      { timeoutMs: this.accepting.timeouts.ensureMs * shareFor(addresses.length) },
    );
    const contactIds = new Map(ensured.contacts.map(({ email, id }) => [email, id]));
    const newEmails = to.map((mailbox) => ({
      id: newId(),
      to: mailbox,
      contactId: contactIds.get(mailbox.email),
    }));
    return this.accepting.accept(caller, { ...send, recipients: newEmails }, deadline);
  }
}

/** Checked before contacts are made of the recipients. */
function checkedParts({ confine }: Caller, { to, ...content }: SendEmails): CheckSend {
  const { from, template, headers, cc, bcc, scheduledAt } = content;
  return {
    from,
    template,
    headers,
    cc,
    bcc,
    scheduledAt,
    to: to.map(({ email }) => email),
    ...(confine?.templateIds ? { ownContent: bringsContent(content) } : {}),
  };
}

const receiptOf = ({ id, to, from }: AcceptedEmails['emails'][number]): SendReceipt => ({
  id,
  status: 'PENDING',
  to,
  from,
});

const legacyReceipt = ({ emails: accepted, acceptedAt }: AcceptedEmails): LegacySendReceipt => ({
  emails: accepted.map(({ id, to: email, contactId }) => ({ contact: { id: contactId!, email }, email: id })),
  timestamp: acceptedAt,
});

function resultsOf({ accepted, refused }: AcceptedBatch): BatchResults {
  const succeeded = accepted.map(({ index, email }): BatchResult => ({
    index,
    status: 'ok',
    data: receiptOf(email),
  }));
  const failed = refused.map(({ index, code, message }): BatchResult => ({
    index,
    status: 'error',
    error: { code, message },
  }));
  return {
    items: [...succeeded, ...failed].sort((a, b) => a.index - b.index),
    someFailed: failed.length > 0,
  };
}

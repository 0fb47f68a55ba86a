import { Controller } from '@nestjs/common';
import {
  BatchResult,
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
  SendBatch,
  SendEmail,
  SendEmails,
  SendReceipt,
  SentContent,
  type EmailPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { batchBodyLimit, sendBodyLimit } from '../edge/bodies/body-reader.js';
import type { RouteRequest, BatchResults } from '../edge/routes/route-request.js';
import { allCallers, Delete, Get, Post } from '../edge/routes/route.js';
import { SendsService } from './sends.service.js';
import { sendErrors } from './send-errors.js';

const sendOptions = {
  scope: 'emails:send',
  callers: allCallers,
  success: 'accepted',
  idempotent: true,
  bodyLimit: sendBodyLimit,
  errors: [...sendErrors, keyInFlight, keyReused],
} as const;

@Controller()
export class EmailsController {
  constructor(
    private readonly bus: Bus,
    private readonly sends: SendsService,
  ) {}

  @Post('emails', {
    ...sendOptions,
    summary: 'Send an email',
    surfaces: ['v1'],
    body: SendEmail,
    reply: SendReceipt,
  })
  send(request: RouteRequest<SendEmail>): Promise<SendReceipt> {
    return this.sends.send(request);
  }

  @Post('emails', {
    ...sendOptions,
    summary: 'Send an email to each recipient',
    surfaces: ['legacy'],
    body: SendEmails,
    reply: LegacySendReceipt,
  })
  sendMany(request: RouteRequest<SendEmails>): Promise<LegacySendReceipt> {
    return this.sends.sendToEach(request);
  }

  @Post('emails/batch', {
    ...sendOptions,
    summary: 'Send up to 100 different emails in one call',
    body: SendBatch,
    reply: BatchResult,
    success: 'batch',
    batchField: 'emails',
    bodyLimit: batchBodyLimit,
  })
  sendBatch(request: RouteRequest<SendBatch>): Promise<BatchResults> {
    return this.sends.sendBatch(request);
  }

  @Get('emails', {
    summary: 'List emails, newest first',
    scope: 'emails:read',
    query: EmailFilter,
    listed: 'flat',
    reply: Email,
  })
  list({ caller, query, listPage }: RouteRequest<object, EmailFilter>): Promise<EmailPage> {
    return this.bus.call(emails.list, caller, { ...query, ...listPage });
  }

  @Get('emails/:id', {
    summary: 'Get an email with its delivery history',
    scope: 'emails:read',
    reply: EmailWithEvents,
    missing: emailNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<EmailWithEvents> {
    return this.bus.call(emails.get, caller, { id: params['id']! });
  }

  @Get('emails/:id/content', {
    summary: 'Get the content of an email while it is retained',
    scope: 'emails:read',
    reply: SentContent,
    missing: emailNotFound,
    errors: [contentNotRetained],
  })
  content({ caller, params }: RouteRequest): Promise<SentContent> {
    return this.bus.call(emails.content, caller, { id: params['id']! });
  }

  @Delete('emails/:id/schedule', {
    summary: 'Cancel a scheduled email',
    scope: 'emails:send',
    reply: EmailId,
    success: 'deleted',
    missing: emailNotFound,
    errors: [emailNotScheduled],
  })
  unschedule({ caller, params }: RouteRequest): Promise<EmailId> {
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
  cancel({ caller, params }: RouteRequest): Promise<Email> {
    return this.bus.call(emails.cancel, caller, { id: params['id']! });
  }
}

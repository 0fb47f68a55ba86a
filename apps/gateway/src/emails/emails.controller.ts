import { Controller } from '@nestjs/common';
import {
  BatchResult,
  keyInFlight,
  keyReused,
  LegacySendReceipt,
  SendBatch,
  SendEmail,
  SendEmails,
  SendReceipt,
} from '@posthorn/contracts';
import { batchBodyLimit, sendBodyLimit } from '../wire/bodies/body-reader.js';
import type { RouteRequest, BatchResults } from '../routes/route-request.js';
import { allCallers, Post } from '../routes/route.js';
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
  constructor(private readonly sends: SendsService) {}

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
}

import { createPublicKey, verify } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderEvent, ProviderEventKind } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { GatewayConfig } from '../../config.js';
import { parseValue } from '../../wire/bodies/parse-body.js';
import {
  codesIn,
  detailOf,
  emailIdOf,
  engagementOf,
  instantOf,
  listOf,
  recipientOf,
  textOf,
  type Members,
} from '../hook-values.js';
import { type HookRequest, type ProviderHook, forged, tooOld } from '../provider-hook.js';

/** SendGrid repeats for a day, with a signature of its own for each attempt. */
const replayWindowMs = 15 * 60_000;
const kinds: Readonly<Record<string, ProviderEventKind>> = {
  processed: 'SENT',
  deferred: 'DELAYED',
  delivered: 'DELIVERED',
  spamreport: 'COMPLAINED',
  open: 'OPENED',
  click: 'CLICKED',
};

@Injectable()
export class SendgridHook implements ProviderHook {
  constructor(
    private readonly config: GatewayConfig,
    private readonly clock: DatabaseClock,
  ) {}

  isEnabled(): boolean {
    return this.config.sendgridHookKey !== undefined;
  }

  async read({ headers, bytes }: HookRequest): Promise<ProviderEvent[]> {
    const signature = headers['x-twilio-email-event-webhook-signature'];
    const timestamp = headers['x-twilio-email-event-webhook-timestamp'];
    if (typeof signature !== 'string' || typeof timestamp !== 'string') throw forged();
    const key = createPublicKey({
      key: Buffer.from(this.config.sendgridHookKey!, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signed = Buffer.concat([Buffer.from(timestamp), bytes]);
    if (!verify('sha256', signed, key, Buffer.from(signature, 'base64'))) throw forged();
    const ageMs = (await this.clock.now()).getTime() - Number(timestamp) * 1_000;
    if (!(Math.abs(ageMs) <= replayWindowMs)) throw tooOld();
    return listOf(parseValue(bytes)).flatMap(sendgridEvent);
  }
}

function sendgridEvent(report: Members): ProviderEvent[] {
  const { event, sg_event_id: id, sg_message_id: messageId, type, status, reason, response } = report;
  const emailId = emailIdOf(report['smtp-id']);
  const kind =
    kinds[String(event)] ?? (event === 'bounce' ? bounceOf(type) : event === 'dropped' ? 'REJECTED' : null);
  const eventId = textOf(id, 300);
  if (!emailId || !kind || !eventId) return [];
  const detail = detailOf(reason, response);
  const providerMessageId = textOf(messageId, 255);
  return [
    {
      source: 'sendgrid',
      eventId,
      kind,
      emailId,
      ...recipientOf(report['email']),
      ...instantOf(report['timestamp']),
      ...detail,
      ...codesIn(detail.detail, { status }),
      ...(providerMessageId ? { providerMessageId } : {}),
      ...engagementOf(kind, { url: report['url'], userAgent: report['useragent'] }),
    },
  ];
}

/** `blocked`: the server refused the message, but maybe not the next one. */
const bounceOf = (type: unknown): ProviderEventKind => (type === 'blocked' ? 'SOFT_BOUNCED' : 'BOUNCED');

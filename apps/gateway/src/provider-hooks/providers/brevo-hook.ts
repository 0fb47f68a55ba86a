import { Injectable } from '@nestjs/common';
import type { ProviderEvent, ProviderEventKind } from '@posthorn/contracts';
import { GatewayConfig } from '../../config.js';
import { parseValue } from '../../wire/bodies/parse-body.js';
import {
  codesIn,
  detailOf,
  emailIdOf,
  engagementOf,
  instantOf,
  membersOf,
  recipientOf,
  type Members,
} from '../hook-values.js';
import { type HookRequest, type ProviderHook, forged, carriesSecret } from '../provider-hook.js';

const kinds: Readonly<Record<string, ProviderEventKind>> = {
  request: 'SENT',
  delivered: 'DELIVERED',
  deferred: 'DELAYED',
  soft_bounce: 'SOFT_BOUNCED',
  hard_bounce: 'BOUNCED',
  invalid_email: 'BOUNCED',
  blocked: 'REJECTED',
  error: 'REJECTED',
  spam: 'COMPLAINED',
  complaint: 'COMPLAINED',
  opened: 'OPENED',
  click: 'CLICKED',
};

@Injectable()
export class BrevoHook implements ProviderHook {
  constructor(private readonly config: GatewayConfig) {}

  isEnabled(): boolean {
    return this.config.brevoHookSecret !== undefined;
  }

  async read(request: HookRequest): Promise<ProviderEvent[]> {
    if (!carriesSecret(request, this.config.brevoHookSecret!)) throw forged();
    return brevoEvents(membersOf(parseValue(request.bytes)));
  }
}

function brevoEvents(report: Members): ProviderEvent[] {
  const { event, email, id, ts_event: at, reason, link } = report;
  const kind = kinds[String(event)];
  const emailId = emailIdOf(report['message-id']);
  if (!kind || !emailId) return [];
  const detail = detailOf(reason);
  const codes = codesIn(detail.detail);
  return [
    {
      source: 'brevo',
      // `id` is that of the webhook.
      eventId: [event, at, id, email].map(String).join(' ').slice(0, 300),
      kind,
      emailId,
      ...recipientOf(email),
      ...instantOf(at),
      ...detail,
      ...codes,
      ...(kind === 'BOUNCED' && !codes.statusCode ? { statusCode: '5.1.1' } : {}),
      ...engagementOf(kind, { url: link, userAgent: report['user_agent'] }),
    },
  ];
}

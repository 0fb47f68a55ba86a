import { createHmac, timingSafeEqual } from 'node:crypto';
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
  membersOf,
  recipientOf,
  textOf,
  type Members,
} from '../hook-values.js';
import { HookSignatures } from '../hook-signatures.repository.js';
import { type HookRequest, type ProviderHook, forged, tooOld } from '../provider-hook.js';

/** Of a report that comes for the first time: the signature covers its token and its time, and not the report. */
const firstMs = 15 * 60_000;
/** Mailgun repeats for eight hours, with the same signature. */
const replayWindowMs = 9 * 3_600_000;
const kinds: Readonly<Record<string, ProviderEventKind>> = {
  accepted: 'SENT',
  delivered: 'DELIVERED',
  rejected: 'REJECTED',
  complained: 'COMPLAINED',
  opened: 'OPENED',
  clicked: 'CLICKED',
};
/** No server has refused the address now; Mailgun has not even tried. */
const ownRefusals = new Set(['suppress-bounce', 'suppress-complaint', 'suppress-unsubscribe']);

@Injectable()
export class MailgunHook implements ProviderHook {
  constructor(
    private readonly config: GatewayConfig,
    private readonly clock: DatabaseClock,
    private readonly signatures: HookSignatures,
  ) {}

  isEnabled(): boolean {
    return this.config.mailgunHookKey !== undefined;
  }

  async read({ bytes }: HookRequest): Promise<ProviderEvent[]> {
    const body = membersOf(parseValue(bytes));
    const { timestamp, token, signature } = membersOf(body['signature']);
    if (typeof timestamp !== 'string' || typeof token !== 'string' || typeof signature !== 'string')
      throw forged();
    const expected = createHmac('sha256', this.config.mailgunHookKey!)
      .update(timestamp + token)
      .digest();
    const given = Buffer.from(signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw forged();
    const ageMs = (await this.clock.now()).getTime() - Number(timestamp) * 1_000;
    if (!(Math.abs(ageMs) <= replayWindowMs)) throw tooOld();
    await this.bind(
      timestamp + token,
      JSON.stringify(body['event-data'] ?? null),
      Math.abs(ageMs) <= firstMs,
    );
    return mailgunEvents(membersOf(body['event-data']));
  }

  private async bind(token: string, content: string, isFresh: boolean): Promise<void> {
    if (!isFresh && !(await this.signatures.isBound(token, content))) throw tooOld();
    if (isFresh && !(await this.signatures.bind(token, content))) throw forged();
  }
}

function mailgunEvents(report: Members): ProviderEvent[] {
  const { event, severity, id, timestamp, recipient, reason, url } = report;
  const headers = membersOf(membersOf(report['message'])['headers']);
  const emailId = emailIdOf(headers['message-id']);
  const eventId = textOf(id, 300);
  const kind = kinds[String(event)] ?? (event === 'failed' ? failureOf(severity, reason) : null);
  if (!emailId || !eventId || !kind) return [];
  const status = membersOf(report['delivery-status']);
  const detail = detailOf(status['message'], status['description'], reason);
  const host = textOf(status['mx-host'], 255);
  return [
    {
      source: 'mailgun',
      eventId,
      kind,
      emailId,
      ...recipientOf(recipient),
      ...instantOf(timestamp),
      ...detail,
      ...codesIn(detail.detail, { status: status['enhanced-code'], reply: status['code'] }),
      ...(host ? { host } : {}),
      ...engagementOf(kind, { url, userAgent: membersOf(report['client-info'])['user-agent'] }),
    },
  ];
}

const failureOf = (severity: unknown, reason: unknown): ProviderEventKind => {
  if (severity === 'temporary') return 'DELAYED';
  // It has been tried for too long.
  if (reason === 'old') return 'SOFT_BOUNCED';
  return ownRefusals.has(String(reason)) ? 'REJECTED' : 'BOUNCED';
};

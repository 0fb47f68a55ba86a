import { Injectable, Logger } from '@nestjs/common';
import { unavailable, type ProviderEvent, type ProviderEventKind } from '@posthorn/contracts';
import { parseValue } from '../../wire/bodies/parse-body.js';
import { GatewayConfig } from '../../config.js';
import {
  membersOf,
  codesIn,
  detailOf,
  instantOf,
  listOf,
  locate,
  recipientOf,
  textOf,
  type Members,
} from '../hook-values.js';
import type { HookRequest, ProviderHook } from '../provider-hook.js';
import { isOfRegion, SnsMessages, type SnsMessage } from './sns-messages.js';

const subscribeMs = 5_000;
/** What SES sends once when a topic is chosen. */
const isGreeting = /^Successfully validated SNS topic/;

@Injectable()
export class SesHook implements ProviderHook {
  private readonly log = new Logger('SesHook');

  constructor(
    private readonly config: GatewayConfig,
    private readonly messages: SnsMessages,
  ) {}

  isEnabled(): boolean {
    return this.config.sesTopics.length > 0;
  }

  async read({ bytes }: HookRequest): Promise<ProviderEvent[]> {
    const message = await this.messages.verify(membersOf(parseValue(bytes)));
    switch (message.type) {
      case 'SubscriptionConfirmation':
        await this.confirm(message);
        return [];
      case 'UnsubscribeConfirmation':
        this.log.warn(`${message.topic} no longer reports here`);
        return [];
      case 'Notification':
        if (isGreeting.test(message.message)) return [];
        return sesEvents(
          membersOf(parseValue(Buffer.from(message.message))),
          message.id,
          this.config.secretKeys,
        );
    }
  }

  private async confirm({ topic, subscribeUrl }: SnsMessage): Promise<void> {
    if (!isOfRegion(subscribeUrl, topic)) throw unavailable('The subscription cannot be confirmed');
    const response = await fetch(subscribeUrl!, {
      redirect: 'error',
      signal: AbortSignal.timeout(subscribeMs),
    }).catch((error: Error) => error);
    if (response instanceof Error || !response.ok)
      throw unavailable(
        `The subscription cannot be confirmed: ${response instanceof Error ? response.message : response.status}`,
      );
    await response.body?.cancel();
    this.log.log(`${topic} reports here from now on`);
  }
}

type Told = Pick<ProviderEvent, 'kind'> & Partial<ProviderEvent>;

/** Reasons of a permanent bounce for which SES knows the address to be dead without a code of the receiving server. */
const deadSubTypes = new Set(['NoEmail', 'Suppressed', 'OnAccountSuppressionList']);
const readers: Readonly<Record<string, (message: Members) => Told[]>> = {
  Send: () => [{ kind: 'SENT' }],
  Delivery: ({ delivery }) => readDelivery(membersOf(delivery)),
  DeliveryDelay: ({ deliveryDelay }) => readDelay(membersOf(deliveryDelay)),
  Bounce: ({ bounce }) => readBounce(membersOf(bounce)),
  Complaint: ({ complaint }) => readComplaint(membersOf(complaint)),
  Reject: ({ reject }) => [{ kind: 'REJECTED', ...detailOf(membersOf(reject)['reason']) }],
  'Rendering Failure': ({ failure }) => [
    { kind: 'REJECTED', ...detailOf(membersOf(failure)['errorMessage']) },
  ],
  Open: ({ open }) => [readEngagement('OPENED', membersOf(open))],
  Click: ({ click }) => [readEngagement('CLICKED', membersOf(click))],
};

/** The events of one message of SES event publishing, or of its older notifications; empty where it is about no e-mail of Posthorn's. */
export function sesEvents(
  message: Members,
  snsMessageId: string,
  secrets: readonly string[],
): ProviderEvent[] {
  const mail = membersOf(message['mail']);
  const read = readers[String(message['eventType'] ?? message['notificationType'])];
  const messageIds = listOf(mail['headers'])
    .filter(({ name }) => /^message-id$/i.test(String(name)))
    .map(({ value }) => value);
  const target = locate({ returnPath: mail['source'], messageIds }, secrets);
  if (!read || !target) return [];
  const providerMessageId = textOf(mail['messageId'], 255);
  return read(message).map((told) => ({
    source: 'ses',
    eventId: snsMessageId,
    ...target,
    ...(providerMessageId ? { providerMessageId } : {}),
    ...told,
  }));
}

function readDelivery({ recipients, smtpResponse, reportingMTA, timestamp }: Members): Told[] {
  const addresses = Array.isArray(recipients) && recipients.length > 0 ? recipients : [null];
  return addresses.map((recipient) => ({
    kind: 'DELIVERED',
    ...recipientOf(recipient),
    ...detailOf(smtpResponse),
    ...hostOf(reportingMTA),
    ...instantOf(timestamp),
  }));
}

function readDelay({ delayedRecipients, delayType, reportingMTA, timestamp }: Members): Told[] {
  return listOf(delayedRecipients).map(({ emailAddress, status, diagnosticCode }) => ({
    kind: 'DELAYED',
    ...recipientOf(emailAddress),
    ...detailOf(diagnosticCode, delayType),
    ...codesIn(textOf(diagnosticCode), { status }),
    ...hostOf(reportingMTA),
    ...instantOf(timestamp),
  }));
}

function readBounce({
  bounceType,
  bounceSubType,
  bouncedRecipients,
  reportingMTA,
  timestamp,
}: Members): Told[] {
  const isDead = deadSubTypes.has(String(bounceSubType));
  return listOf(bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const codes = codesIn(textOf(diagnosticCode), { status });
    return {
      kind: bounceType === 'Permanent' ? 'BOUNCED' : 'SOFT_BOUNCED',
      ...recipientOf(emailAddress),
      ...detailOf(diagnosticCode, bounceSubType),
      ...codes,
      ...(isDead && !codes.statusCode ? { statusCode: '5.1.1' } : {}),
      ...hostOf(reportingMTA),
      ...instantOf(timestamp),
    };
  });
}

function readComplaint({ complainedRecipients, complaintFeedbackType, timestamp }: Members): Told[] {
  // The reader moved it out of the spam folder.
  if (complaintFeedbackType === 'not-spam') return [];
  return listOf(complainedRecipients).map(({ emailAddress }) => ({
    kind: 'COMPLAINED',
    ...recipientOf(emailAddress),
    ...detailOf(complaintFeedbackType),
    ...instantOf(timestamp),
  }));
}

function readEngagement(kind: ProviderEventKind, { timestamp, userAgent, link }: Members): Told {
  const url = textOf(link, 2_048);
  return {
    kind,
    userAgent: textOf(userAgent, 512) ?? '',
    ...(url ? { url } : {}),
    ...instantOf(timestamp),
  };
}

const hostOf = (value: unknown): { host?: string } => {
  const host = textOf(value, 255);
  return host ? { host: host.replace(/^dns;\s*/i, '') } : {};
};

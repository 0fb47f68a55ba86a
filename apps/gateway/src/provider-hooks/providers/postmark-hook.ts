import { Injectable } from '@nestjs/common';
import type { ProviderEvent } from '@posthorn/contracts';
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
import { type HookRequest, type ProviderHook, forged, carriesSecret } from '../provider-hook.js';

type Told = Pick<ProviderEvent, 'kind'> & Partial<ProviderEvent>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Bounce types after which the address may work again. */
const soft = new Set(['SoftBounce', 'SpamNotification', 'Transient', 'DnsError', 'AutoResponder', 'AddressChange', 'ChallengeVerification', 'Blocked', 'DMARCPolicy', 'TemplateRenderingFailed', 'Unknown', 'OpenRelayTest']); // prettier-ignore
/** Types that say nothing about the delivery of this message. */
const notBounces = new Set(['AutoResponder', 'Subscribe', 'Unsubscribe', 'VirusNotification', 'ManuallyDeactivated', 'InboundError', 'AddressChange']); // prettier-ignore

/** Webhooks of Postmark, which are not signed: the operator puts a secret into their address or headers. */
@Injectable()
export class PostmarkHook implements ProviderHook {
  constructor(private readonly config: GatewayConfig) {}

  isEnabled(): boolean {
    return this.config.postmarkHookSecret !== undefined;
  }

  async read(request: HookRequest): Promise<ProviderEvent[]> {
    if (!carriesSecret(request, this.config.postmarkHookSecret!)) throw forged();
    return postmarkEvents(membersOf(parseValue(request.bytes)));
  }
}

function postmarkEvents(report: Members): ProviderEvent[] {
  const { RecordType: type, MessageID: messageId, ID: id, Metadata: metadata } = report;
  const named = membersOf(metadata)['posthorn-id'];
  const emailId = typeof named === 'string' && uuid.test(named) ? named.toLowerCase() : emailIdOf(messageId);
  const told = read(String(type), report);
  if (!emailId || !told) return [];
  const providerMessageId = textOf(messageId, 255);
  return [
    {
      source: 'postmark',
      eventId: [type, messageId, id, report['DeliveredAt'], report['ReceivedAt']]
        .map(String)
        .join(' ')
        .slice(0, 300),
      emailId,
      ...(providerMessageId ? { providerMessageId } : {}),
      ...told,
    },
  ];
}

function read(type: string, report: Members): Told | null {
  switch (type) {
    case 'Delivery':
      return {
        kind: 'DELIVERED',
        ...recipientOf(report['Recipient']),
        ...detailOf(report['Details']),
        ...instantOf(report['DeliveredAt']),
      };
    case 'Bounce':
      return readBounce(report);
    case 'SpamComplaint':
      return { kind: 'COMPLAINED', ...recipientOf(report['Email']), ...instantOf(report['BouncedAt']) };
    case 'Open':
    case 'Click': {
      const kind = type === 'Open' ? 'OPENED' : 'CLICKED';
      const engagement = engagementOf(kind, { url: report['OriginalLink'], userAgent: report['UserAgent'] });
      return { kind, ...recipientOf(report['Recipient']), ...engagement };
    }
    default:
      return null;
  }
}

function readBounce(report: Members): Told | null {
  const type = String(report['Type']);
  if (notBounces.has(type)) return null;
  const detail = detailOf(report['Details'], report['Description']);
  const codes = codesIn(detail.detail);
  const isDead = (type === 'HardBounce' || type === 'BadEmailAddress') && !codes.statusCode;
  return {
    kind: type === 'SpamComplaint' ? 'COMPLAINED' : soft.has(type) ? 'SOFT_BOUNCED' : 'BOUNCED',
    ...recipientOf(report['Email']),
    ...detail,
    ...codes,
    ...(isDead ? { statusCode: '5.1.1' } : {}),
    ...instantOf(report['BouncedAt']),
  };
}

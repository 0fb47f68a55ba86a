import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { DomainError, invalid, unavailable } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import SnsPayloadValidator from 'sns-payload-validator';
import { GatewayConfig } from '../../config.js';
import { textOf, type Members } from '../hook-values.js';

export interface SnsMessage {
  type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
  id: string;
  topic: string;
  message: string;
  subscribeUrl: string | null;
}

const types = new Set(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']);
/** SNS repeats for an hour at most, so that an older message is a recorded one. */
const replayWindowMs = 3_600_000;
/** Clocks of two companies. */
const aheadMs = 300_000;
const certificateMs = 5_000;
const topicRegion = /^arn:aws[a-z-]*:sns:([a-z0-9-]+):\d+:/;

const maxCertificates = 20;

/** The package keeps whatever body it was given, also that of an error. */
class Certificates {
  private readonly byUrl = new Map<string, string>();
  private pinned: string | undefined;

  pin(pem: string): void {
    this.pinned = pem;
  }

  get(url: string): string | undefined {
    return this.pinned ?? this.byUrl.get(url);
  }

  set(url: string, pem: string): void {
    try {
      new X509Certificate(pem);
    } catch {
      return;
    }
    if (this.byUrl.size >= maxCertificates) this.byUrl.clear();
    this.byUrl.set(url, pem);
  }
}

/** Accepts only what Amazon SNS signed for a topic of the operator. The cheap checks come first, so that a stranger causes no download. */
@Injectable()
export class SnsMessages {
  private readonly validator = new SnsPayloadValidator();
  private readonly certificates = new Certificates();
  private readonly topics: ReadonlySet<string>;

  constructor(
    config: GatewayConfig,
    private readonly clock: DatabaseClock,
  ) {
    this.topics = new Set(config.sesTopics);
    if (config.snsCertificateFile) this.certificates.pin(readFileSync(config.snsCertificateFile, 'utf8'));
    Object.assign(this.validator, { certCache: this.certificates });
  }

  async verify(payload: Members): Promise<SnsMessage> {
    const message = read(payload);
    if (!this.topics.has(message.topic)) throw refused('This topic is not listed in SES_TOPIC_ARNS');
    const sentAt = Date.parse(textOf(payload['Timestamp']) ?? '');
    const age = (await this.clock.now()).getTime() - sentAt;
    if (!(age <= replayWindowMs && age >= -aheadMs)) throw refused('The message is older than an hour');
    if (!['1', '2'].includes(String(payload['SignatureVersion'])))
      throw refused('The version of the signature is not known');
    if (!isOfRegion(payload['SigningCertURL'], message.topic))
      throw refused('The certificate is not of Amazon SNS in the region of the topic');
    await this.checkSignature(payload);
    return message;
  }

  private async checkSignature(payload: Members): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(unavailable('The certificate of Amazon SNS cannot be read')),
        certificateMs,
      );
    });
    try {
      await Promise.race([this.validator.validate(payload as never), late]);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      // A certificate that could not be read is nobody's forgery.
      const isForgery = this.certificates.get(String(payload['SigningCertURL'])) !== undefined;
      throw isForgery
        ? refused('The signature is not that of Amazon SNS')
        : unavailable('The certificate of Amazon SNS cannot be read');
    } finally {
      clearTimeout(timer);
    }
  }
}

function read(payload: Members): SnsMessage {
  const {
    Type: type,
    MessageId: id,
    TopicArn: topic,
    Message: message,
    SubscribeURL: subscribeUrl,
  } = payload;
  if (
    !types.has(String(type)) ||
    typeof id !== 'string' ||
    !/^[\w-]{1,100}$/.test(id) ||
    typeof topic !== 'string' ||
    typeof message !== 'string'
  )
    throw invalid([{ path: [], code: 'invalid_format', message: 'must be a message of Amazon SNS' }]);
  return {
    type: type as SnsMessage['type'],
    id,
    topic,
    message,
    subscribeUrl: typeof subscribeUrl === 'string' ? subscribeUrl : null,
  };
}

export function isOfRegion(url: unknown, topic: string): boolean {
  const region = topicRegion.exec(topic)?.[1];
  if (!region || typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, host, username } = new URL(url);
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  return protocol === 'https:' && username === '' && host === `sns.${region}.amazonaws.com${suffix}`;
}

const refused = (reason: string) => new DomainError('forbidden', 'scope_missing', reason);

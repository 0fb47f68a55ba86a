import { Injectable, Logger } from '@nestjs/common';
import { unavailable, type ProviderEvent } from '@posthorn/contracts';
import { parseValue } from '../../wire/bodies/parse-body.js';
import { GatewayConfig } from '../../config.js';
import { membersOf } from '../hook-values.js';
import type { HookRequest, ProviderHook } from '../provider-hook.js';
import { sesEvents } from './ses-events.js';
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

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { maxWebhookResponse } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { OutboundClient } from '@posthorn/outbound';
import { outboundRulesOf, WorkflowsConfig } from '../../config.js';
import type { DueWebhookCall } from '../calls/webhook-calls.repository.js';
import { signatureHeaders } from '../secrets/signing-secrets.js';
import { attemptOf, type CallAttempt, verdictOfAttempt } from '../webhook-attempts.js';

/** The only way out of this service. Closed after the dispatcher has ended. */
@Injectable()
export class WebhookClient extends OutboundClient implements OnApplicationShutdown {
  constructor(
    config: WorkflowsConfig,
    private readonly clock: DatabaseClock,
  ) {
    super({ rules: outboundRulesOf(config) });
  }

  /** For `webhook-timestamp`: receivers refuse what is minutes off, and the clock of a process may be (docs/guarantees.md G22). */
  now(): Promise<Date> {
    return this.clock.now();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

export const requestTimeoutMs = 10_000;

export interface SignedEndpoint {
  url: string;
  secrets: readonly string[];
}

/** One attempt of a call of an event; never rejects. */
@Injectable()
export class SignedRequests {
  constructor(private readonly client: WebhookClient) {}

  now(): Promise<Date> {
    return this.client.now();
  }

  async send<Call extends DueWebhookCall>(
    { url, secrets }: SignedEndpoint,
    call: Call,
  ): Promise<CallAttempt<Call>> {
    const { eventId, body } = call;
    const at = await this.client.now();
    const result = await this.client.send({
      url,
      body,
      method: 'POST',
      timeoutMs: requestTimeoutMs,
      maxRedirects: 0,
      headers: { 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      ownHeaders: () => signatureHeaders({ id: eventId, at, body }, secrets),
    });
    const verdict = verdictOfAttempt(result, call.retries + 1);
    const isFault = verdict.kind !== 'success';
    return attemptOf(call, result, { verdict, isFault, maxResponse: maxWebhookResponse });
  }
}

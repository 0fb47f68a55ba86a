import { Injectable } from '@nestjs/common';
import { maxWebhookResponse } from '@posthorn/contracts';
import { signatureHeaders } from '../secrets/webhook-signature.js';
import { attemptOf, type Attempt } from './attempt.js';
import { outcomeOfAttempt } from './attempt-rules.js';
import type { DueWebhookCall } from '../calls/webhook-calls.repository.js';
import { WebhookClient } from './webhook-client.js';

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
  ): Promise<Attempt<Call>> {
    const { eventId, body } = call;
    const at = await this.client.now();
    const result = await this.client.send({
      ...{ url, body, method: 'POST', timeoutMs: requestTimeoutMs, maxRedirects: 0 },
      headers: { 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      ownHeaders: () => signatureHeaders({ id: eventId, at, body }, secrets),
    });
    const outcome = outcomeOfAttempt(result, call.retries + 1);
    const isFault = outcome.kind !== 'success';
    return attemptOf(call, result, { outcome, isFault, maxResponse: maxWebhookResponse });
  }
}

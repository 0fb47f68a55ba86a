import type { KeyObject } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { maxWebhookResponse } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { OutboundClient } from '@posthorn/outbound';
import { outboundRulesOf, WorkflowsConfig } from '../../config.js';
import { attemptOf, type CallAttempt, type DueCall, verdictOfAttempt } from '../calls/call-attempts.js';
import { signatureHeaders } from '../secrets/signing-secrets.js';

/** The only way out of this service. Closed after the dispatch has ended. */
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

export interface SignedRequest {
  url: string;
  keys: readonly KeyObject[];
  body: Buffer;
}

/** One attempt of a call of an event. */
@Injectable()
export class SignedRequests {
  constructor(private readonly client: WebhookClient) {}

  now(): Promise<Date> {
    return this.client.now();
  }

  async send(call: DueCall, { url, keys, body }: SignedRequest): Promise<CallAttempt> {
    const at = await this.client.now();
    const result = await this.client.send({
      url,
      body,
      method: 'POST',
      timeoutMs: requestTimeoutMs,
      maxRedirects: 0,
      headers: { 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      ownHeaders: () => signatureHeaders({ id: call.requestId, at, body }, keys),
    });
    const verdict = verdictOfAttempt(result, call.retries + 1);
    const isFault = verdict.kind !== 'success';
    return attemptOf(call, result, { verdict, isFault, maxResponse: maxWebhookResponse });
  }
}

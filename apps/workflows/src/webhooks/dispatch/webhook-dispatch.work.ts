import { Injectable } from '@nestjs/common';
import { webhookEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue, WorkRunner } from '@posthorn/work';
import { webhookDispatchWork } from '../../work-kinds.js';
import {
  WebhookCallsRepository,
  type ActiveWebhook,
  type DueWebhookCall,
} from '../calls/webhook-calls.repository.js';
import { SigningSecrets } from '../secrets/signing-secrets.js';
import {
  type CallAttempt,
  type DueCall,
  maxDaysWithoutSuccess,
  maxFailuresInRow,
} from '../webhook-attempts.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import { EndpointDispatcher, type CallSource, DispatchWork } from './endpoint-dispatcher.js';
import { EndpointsRepository, type EndpointId, type Standing } from './endpoints.repository.js';
import { SignedRequests, type SignedEndpoint } from './webhook-client.js';

type Subscription = ActiveWebhook & SignedEndpoint;

const tidiedAtOnce = 1_000;

@Injectable()
export class WebhookCallSource implements CallSource<Subscription, DueWebhookCall> {
  readonly kind = webhookDispatchWork;

  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly calls: WebhookCallsRepository,
    private readonly endpoints: EndpointsRepository,
    private readonly signing: SigningSecrets,
    private readonly requests: SignedRequests,
    private readonly outbox: Outbox,
  ) {}

  async open(of: EndpointId): Promise<Subscription | null> {
    const webhook = await this.calls.open(of);
    return webhook && { ...webhook, secrets: await this.signing.of(of.projectId, of.id) };
  }

  due(webhook: Subscription, limit: number): Promise<DueWebhookCall[]> {
    return this.calls.due(webhook, limit);
  }

  nextDueMs(webhook: Subscription): Promise<number | null> {
    return this.calls.nextDueMs(webhook);
  }

  attempt(webhook: Subscription, call: DueWebhookCall): Promise<CallAttempt<DueWebhookCall>> {
    return this.requests.send(webhook, call);
  }

  async record(
    webhook: Subscription,
    attempts: readonly CallAttempt<DueWebhookCall>[],
    settle: () => Promise<void>,
  ): Promise<void> {
    await this.calls.record(webhook, attempts);
    const reason = disablingReason(attempts, await this.endpoints.judge(webhook, attempts));
    if (reason !== null) await this.disable(webhook, reason);
    // Who stops a subscription locks it before its turn, too.
    await settle();
  }

  addClaims(of: EndpointId, calls: readonly DueCall[], by: number): Promise<void> {
    return this.calls.addClaims(of, calls, by);
  }

  async tidyUp(of: EndpointId): Promise<boolean> {
    return (await this.calls.tidyUp(of, tidiedAtOnce)) > 0;
  }

  private async disable({ projectId, id: webhookId }: EndpointId, reason: string): Promise<void> {
    const disabled = await this.webhooks.disable(projectId, webhookId, reason);
    if (!disabled) return;
    const { origin } = new URL(disabled.url);
    await this.outbox.publish(webhookEvents.disabled, projectId, [
      { webhookId, origin, reason, at: disabled.at },
    ]);
  }
}

@Injectable()
export class WebhookDispatchWork extends DispatchWork<Subscription, DueWebhookCall> {
  constructor(
    dispatcher: EndpointDispatcher,
    source: WebhookCallSource,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(dispatcher, source, queue, runner);
  }
}

/** Why a subscription ends after these attempts; null where it goes on. */
function disablingReason(attempts: readonly CallAttempt[], standing: Standing): string | null {
  if (attempts.some(({ verdict }) => verdict.kind === 'gone')) return 'The endpoint answered 410 Gone';
  if (standing.failuresInRow >= maxFailuresInRow) return `${maxFailuresInRow} attempts in a row failed`;
  return standing.isLongWithoutSuccess
    ? `No attempt has been successful for ${maxDaysWithoutSuccess} days`
    : null;
}

import { Injectable } from '@nestjs/common';
import { webhookEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue, WorkRunner } from '@posthorn/work';
import { webhookTurnWork } from '../../work-kinds.js';
import {
  WebhookCallsRepository,
  type ActiveWebhook,
  type DueWebhookCall,
} from '../calls/webhook-calls.repository.js';
import { SigningSecrets } from '../secrets/signing-secrets.js';
import { type Attempt, type DueCall, maxDaysWithoutSuccess, maxFailuresInRow } from '../webhook-attempts.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import { EndpointTurns, type CallSource, TurnsWork } from './endpoint-turns.js';
import { EndpointsRepository, type EndpointId, type Standing } from './endpoints.repository.js';
import { SignedRequests, type SignedEndpoint } from './webhook-client.js';

type Subscription = ActiveWebhook & SignedEndpoint;

const tidiedAtOnce = 1_000;

@Injectable()
export class WebhookCallSource implements CallSource<Subscription, DueWebhookCall> {
  readonly kind = webhookTurnWork;

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

  attempt(webhook: Subscription, call: DueWebhookCall): Promise<Attempt<DueWebhookCall>> {
    return this.requests.send(webhook, call);
  }

  async record(
    webhook: Subscription,
    attempts: readonly Attempt<DueWebhookCall>[],
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
export class WebhookTurnsWork extends TurnsWork<Subscription, DueWebhookCall> {
  constructor(turns: EndpointTurns, source: WebhookCallSource, queue: WorkQueue, runner: WorkRunner) {
    super(turns, source, queue, runner);
  }
}

/** Why a subscription ends after these attempts; null where it goes on. */
export function disablingReason(attempts: readonly Attempt[], standing: Standing): string | null {
  if (attempts.some(({ outcome }) => outcome.kind === 'gone')) return 'The endpoint answered 410 Gone';
  if (standing.failuresInRow >= maxFailuresInRow) return `${maxFailuresInRow} attempts in a row failed`;
  return standing.isLongWithoutSuccess
    ? `No attempt has been successful for ${maxDaysWithoutSuccess} days`
    : null;
}

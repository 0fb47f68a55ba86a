import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { maxWebhookResponse, testEventType, webhookEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { OutboundResult } from '@posthorn/outbound';
import { WorkQueue, type WorkBatch, type WorkItem } from '@posthorn/work';
import { EffectFence } from '../../cancellations/effect-fence.js';
import { executionWork, type EndpointOf } from '../../work-kinds.js';
import {
  attemptOf,
  unmadeAttempt,
  mayPass,
  maxDaysWithoutSuccess,
  maxFailuresInRow,
  verdictOfAttempt,
  verdictOfStepAttempt,
  type CallAttempt,
  type DueCall,
} from '../calls/call-attempts.js';
import { bodyOf, type CallRequest, type OpenEndpoint } from '../calls/calls.repository.js';
import { signatureHeaders } from '../secrets/signing-secrets.js';
import { headersFault } from '../steps/step-calls.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import type { Standing } from './endpoints.repository.js';
import { WebhookClient } from './webhook-client.js';

/** What is sent to one endpoint in its turn. */
export interface Round {
  projectId: string;
  kind: EndpointOf['kind'];
  item: WorkItem<EndpointOf>;
  /** Null where its item was given back already. */
  batch: WorkBatch<EndpointOf> | null;
  endpoint: OpenEndpoint;
  keys: readonly KeyObject[];
  requests: ReadonlyMap<string, CallRequest>;
  waiting: DueCall[];
  underWay: Set<DueCall>;
  /** In the order in which they ended. */
  attempts: CallAttempt[];
  /** Why not all of its calls could begin. */
  error: Error | null;
}

const timeoutMs = 10_000;
const message = 'A test: the webhook is reached.';

/** Who has the calls of a kind: how they are sent, and who is told what became of them. */
export interface CallOwner {
  /** Rejects only where the database is away. */
  attempt(round: Round, call: DueCall, request: CallRequest): Promise<CallAttempt>;
}

interface Signed {
  url: string;
  keys: readonly KeyObject[];
  body: Buffer;
}

@Injectable()
export class SubscriptionCalls implements CallOwner {
  constructor(
    private readonly client: WebhookClient,
    private readonly webhooks: WebhooksRepository,
    private readonly outbox: Outbox,
  ) {}

  attempt({ endpoint, keys }: Round, call: DueCall, { body }: CallRequest): Promise<CallAttempt> {
    return this.send(call, { url: endpoint.url!, keys, body: body! });
  }

  async sendTest(url: string, keys: readonly KeyObject[]): Promise<{ attempt: CallAttempt; body: string }> {
    const [id, at, requestId] = [newId(), await this.client.now(), newId()];
    const body = bodyOf({ id: requestId, type: testEventType, at, data: { message } });
    const call = { id, requestId, attempts: 0, retries: 0, claims: 0 };
    return { body, attempt: await this.send(call, { url, keys, body: Buffer.from(body) }) };
  }

  private async send(call: DueCall, { url, keys, body }: Signed): Promise<CallAttempt> {
    const at = await this.client.now();
    const result = await this.client.send({
      url,
      body,
      timeoutMs,
      method: 'POST',
      maxRedirects: 0,
      headers: { 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      ownHeaders: () => signatureHeaders({ id: call.requestId, at, body }, keys),
    });
    const verdict = verdictOfAttempt(result, call.retries + 1);
    const isFault = verdict.kind !== 'success';
    return attemptOf(call, result, { verdict, isFault, maxResponse: maxWebhookResponse });
  }

  /** Whoever stops a subscription locks it first, too. */
  async lock(projectId: string, rounds: readonly Round[]): Promise<void> {
    const failing = rounds.filter(({ attempts }) => attempts.some(({ isFault }) => isFault));
    if (failing.length > 0)
      await this.webhooks.lockAll(
        projectId,
        failing.map(({ endpoint }) => endpoint.id),
      );
  }

  async judged(projectId: string, rounds: readonly Round[], standings: ReadonlyMap<string, Standing>) {
    for (const { endpoint, attempts } of rounds) {
      const reason = disablingReason(attempts, standings.get(endpoint.id)!);
      if (reason !== null) await this.disable(projectId, endpoint.id, reason);
    }
  }

  private async disable(projectId: string, webhookId: string, reason: string): Promise<void> {
    const disabled = await this.webhooks.disable(projectId, webhookId, reason);
    if (!disabled) return;
    const { origin } = new URL(disabled.url);
    await this.outbox.publish(webhookEvents.disabled, projectId, [
      { webhookId, origin, reason, at: disabled.at },
    ]);
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

const maxRedirects = 3;
const maxStepResponse = 65_536;

/** Of executions; each may have its own URL of the same origin. */
@Injectable()
export class ExecutionCalls implements CallOwner {
  constructor(
    private readonly client: WebhookClient,
    private readonly queue: WorkQueue,
    private readonly fence: EffectFence,
  ) {}

  async attempt(
    { projectId, keys }: Round,
    call: DueCall,
    { id, executionId, workflowId, url, method, headers, body: text }: CallRequest,
  ): Promise<CallAttempt> {
    const fault = headersFault(headers!);
    if (fault !== null) return unmadeAttempt(call, fault);
    const body = method === 'GET' ? null : text;
    const execution = { id: executionId!, workflowId: workflowId ?? executionId! };
    const at = await this.client.now();
    const sent = await this.fence.begin(projectId, execution, () =>
      this.client.send({
        url: url!,
        method: method!,
        body,
        maxRedirects,
        timeoutMs,
        headers: { 'user-agent': 'Posthorn', ...typeOf(headers!, body), ...headers },
        ownHeaders: (given) => signatureHeaders({ id, at, body: given ?? '' }, keys),
      }),
    );
    return sent ? attemptOfStep(call, await sent.result) : unmadeAttempt(call, 'The execution has ended');
  }

  /** They go on; the engine locks them after the items of their calls, too. */
  async ended(projectId: string, rounds: readonly Round[], ids: readonly string[]): Promise<void> {
    const requests = rounds.flatMap((round) => [...round.requests.values()]);
    const executions = new Map(requests.map(({ id, executionId }) => [id, executionId]));
    await this.queue.enqueue(
      executionWork,
      ids.flatMap((id) => (executions.get(id) ? [{ projectId, key: executions.get(id)! }] : [])),
    );
  }
}

/** That one URL of an origin is wrong says nothing about the others. */
function attemptOfStep(call: DueCall, result: OutboundResult): CallAttempt {
  const verdict = verdictOfStepAttempt(result, call.retries + 1);
  return attemptOf(call, result, { verdict, isFault: mayPass(result), maxResponse: maxStepResponse });
}

function typeOf(headers: Readonly<Record<string, string>>, body: Buffer | null): Record<string, string> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return isGiven || body === null ? {} : { 'content-type': 'application/json' };
}

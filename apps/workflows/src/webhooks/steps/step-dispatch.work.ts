import { Injectable } from '@nestjs/common';
import type { OutboundResult } from '@posthorn/outbound';
import { WorkQueue, WorkRunner } from '@posthorn/work';
import { EffectFence } from '../../cancellations/effect-fence.js';
import { executionWork, stepDispatchWork } from '../../work-kinds.js';
import {
  EndpointDispatcher,
  type CallSource,
  type OpenEndpoint,
  DispatchWork,
} from '../dispatch/endpoint-dispatcher.js';
import { EndpointsRepository, type EndpointId } from '../dispatch/endpoints.repository.js';
import { WebhookClient, requestTimeoutMs } from '../dispatch/webhook-client.js';
import { SigningSecrets, signatureHeaders } from '../secrets/signing-secrets.js';
import {
  attemptOf,
  unmadeAttempt,
  type CallAttempt,
  type DueCall,
  mayPass,
  verdictOfStepAttempt,
} from '../webhook-attempts.js';
import { headersFault } from './step-calls.js';
import { StepCallsRepository, type DueStepCall } from './step-calls.repository.js';

interface StepEndpoint extends OpenEndpoint {
  secrets: readonly string[];
}

const maxRedirects = 3;
const maxStepResponse = 65_536;
const heldMs = 60_000;

/** Calls of webhook steps; each may have its own URL of the same origin. */
@Injectable()
export class StepCallSource implements CallSource<StepEndpoint, DueStepCall> {
  readonly kind = stepDispatchWork;

  constructor(
    private readonly calls: StepCallsRepository,
    private readonly endpoints: EndpointsRepository,
    private readonly signing: SigningSecrets,
    private readonly client: WebhookClient,
    private readonly queue: WorkQueue,
    private readonly fence: EffectFence,
  ) {}

  async open(of: EndpointId): Promise<StepEndpoint> {
    const endpoint = await this.calls.open(of);
    const restMs = (await this.fence.isHeld(of.projectId)) ? heldMs : endpoint.restMs;
    return { ...endpoint, restMs, secrets: await this.signing.ofProject(of.projectId) };
  }

  due(endpoint: StepEndpoint, limit: number): Promise<DueStepCall[]> {
    return this.calls.due(endpoint, limit);
  }

  nextDueMs(endpoint: StepEndpoint): Promise<number | null> {
    return this.calls.nextDueMs(endpoint);
  }

  async attempt({ projectId, secrets }: StepEndpoint, call: DueStepCall): Promise<CallAttempt<DueStepCall>> {
    const { id, method, url, headers } = call;
    const fault = headersFault(headers);
    if (fault !== null) return unmadeAttempt(call, fault);
    const body = method === 'GET' ? null : call.body;
    const { executionId, workflowId } = call;
    const execution = { id: executionId, workflowId: workflowId ?? executionId };
    const at = await this.client.now();
    const sent = await this.fence.begin(projectId, execution, () =>
      this.client.send({
        url,
        method,
        body,
        maxRedirects,
        timeoutMs: requestTimeoutMs,
        headers: { 'user-agent': 'Posthorn', ...typeOf(headers, body), ...headers },
        ownHeaders: (given) => signatureHeaders({ id, at, body: given ?? '' }, secrets),
      }),
    );
    if (!sent) return unmadeAttempt(call, 'The execution has ended');
    const result = await sent.result;
    return attemptOf(call, result, this.judged(call, result));
  }

  async record(
    endpoint: StepEndpoint,
    attempts: readonly CallAttempt<DueStepCall>[],
    settle: () => Promise<void>,
  ): Promise<void> {
    const { projectId } = endpoint;
    // The engine adds calls before it settles executions, so it locks the turn first, too.
    await settle();
    const ended = await this.calls.record(projectId, attempts);
    await this.endpoints.judge(endpoint, attempts);
    await this.queue.enqueue(
      executionWork,
      ended.map((key) => ({ projectId, key })),
    );
  }

  addClaims({ projectId }: EndpointId, calls: readonly DueCall[], by: number): Promise<void> {
    return this.calls.addClaims(projectId, calls, by);
  }

  tidyUp(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** That one URL of an origin is wrong says nothing about the others. */
  private judged({ retries }: DueStepCall, result: OutboundResult) {
    const verdict = verdictOfStepAttempt(result, retries + 1);
    return { verdict, isFault: mayPass(result), maxResponse: maxStepResponse };
  }
}

@Injectable()
export class StepDispatchWork extends DispatchWork<StepEndpoint, DueStepCall> {
  constructor(dispatcher: EndpointDispatcher, source: StepCallSource, queue: WorkQueue, runner: WorkRunner) {
    super(dispatcher, source, queue, runner);
  }
}

function typeOf(headers: Readonly<Record<string, string>>, body: string | null): Record<string, string> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return isGiven || body === null ? {} : { 'content-type': 'application/json' };
}

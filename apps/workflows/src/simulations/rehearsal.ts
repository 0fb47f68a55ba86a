import {
  maxSimulatedBytes,
  maxSimulatedSteps,
  type SendEmailConfig,
  type SimulatedEmail,
  type SimulatedStep,
  type SimulatedUpdate,
  type SimulatedWebhook,
  type Simulation,
  type UpdateContactConfig,
  type WorkflowGraph,
} from '@posthorn/contracts';
import type { Stop } from '../engine/walk.js';
import { lastOfEach } from '../executions/execution-store.js';
import type { Activation } from '../executions/activation.js';
import type { StepRequest } from '../executions/webhook-requests.js';

/** What a rehearsal needs of the outside; nothing of it changes anything. */
export interface RehearsalTexts {
  email(
    activation: Activation,
    config: SendEmailConfig,
  ): Promise<Omit<SimulatedEmail, 'stepId' | 'at'> | Error>;
  webhook(activation: Activation): Promise<StepRequest | Error>;
}

/** An execution on a virtual clock: it goes on as in the engine, only waits are skipped and effects are written down. */
export class Rehearsal {
  readonly emails: SimulatedEmail[] = [];
  private readonly webhooks: SimulatedWebhook[] = [];
  private readonly updates: SimulatedUpdate[] = [];
  private readonly visits = new Set<string>();
  private counted = 0;
  private bytes = 0;

  constructor(
    private readonly activation: Activation,
    private readonly graph: WorkflowGraph,
    private readonly answers: Record<string, unknown>,
    private readonly texts: RehearsalTexts,
    private now: Date,
  ) {}

  async run(): Promise<Simulation> {
    this.activation.goOn(this.now);
    while (this.activation.stop!.kind !== 'end') {
      if (this.countVisits() > maxSimulatedSteps) return this.result('LIMIT', null);
      await this.pass(this.activation.stop!);
      if (this.bytes > maxSimulatedBytes) return this.result('LIMIT', null);
      if (this.activation.stop === null) this.activation.goOn(this.now);
    }
    const { status, reason } = this.activation.stop as Extract<Stop, { kind: 'end' }>;
    return this.result(status, reason);
  }

  private async pass(stop: Stop): Promise<void> {
    switch (stop.kind) {
      case 'delay':
        this.now = stop.until;
        return this.activation.settle(null, null, this.now);
      case 'event':
        return this.meet(stop.until);
      case 'webhook':
        return this.call();
      case 'effect':
        return stop.effect.kind === 'email' ? this.send(stop.effect.config) : this.update(stop.effect.config);
      case 'end':
    }
  }

  private meet(until: Date): void {
    const answer = waitAnswer(this.answer());
    const at = answer && new Date(this.now.getTime() + answer.afterMinutes * 60_000);
    const inTime = at !== null && at <= until;
    this.now = inTime ? at : until;
    this.activation.settle(inTime ? 'event' : 'timeout', inTime ? { event: answer!.event } : null, this.now);
  }

  private async call(): Promise<void> {
    const request = await this.texts.webhook(this.activation);
    if (request instanceof Error) return this.activation.fail(request.message, this.now);
    if (!this.add(this.webhooks, { stepId: this.activation.step.id, at: this.now, ...request })) return;
    const { status, body } = webhookAnswer(this.answer());
    if (status >= 200 && status < 300) this.activation.settle(null, { status, body }, this.now);
    else this.activation.fail(`HTTP ${status}`, this.now);
  }

  private async send(config: SendEmailConfig): Promise<void> {
    const email = await this.texts.email(this.activation, config);
    if (email instanceof Error) return this.activation.fail(email.message, this.now);
    if (!this.add(this.emails, { stepId: this.activation.step.id, at: this.now, ...email })) return;
    this.activation.settle(null, { to: email.to }, this.now);
  }

  private update({ updates = {}, subscribed }: UpdateContactConfig): void {
    const update = { stepId: this.activation.step.id, at: this.now, updates, subscribed: subscribed ?? null };
    if (!this.add(this.updates, update)) return;
    this.activation.changeContact(updates, subscribed);
    this.activation.settle(null, null, this.now);
  }

  /** False for what the answer has no room for. */
  private add<Item>(list: Item[], item: Item): boolean {
    this.bytes += Buffer.byteLength(JSON.stringify(item));
    if (this.bytes > maxSimulatedBytes) return false;
    list.push(item);
    return true;
  }

  /** Each is in the list of the activation once more when it ends. */
  private countVisits(): number {
    for (const { stepId, visit } of this.activation.steps.slice(this.counted))
      this.visits.add(`${stepId} ${visit}`);
    this.counted = this.activation.steps.length;
    return this.visits.size;
  }

  private answer(): unknown {
    return this.answers[this.activation.step.id];
  }

  private result(outcome: Simulation['outcome'], reason: string | null): Simulation {
    const { emails, webhooks, updates } = this;
    const byId = new Map(this.graph.steps.map((step) => [step.id, step]));
    const path = lastOfEach(this.activation.steps).map(
      ({ stepId, visit, enteredAt, endedAt, branch }): SimulatedStep => {
        const { name, type } = byId.get(stepId)!;
        return { stepId, stepName: name, type, visit, enteredAt, leftAt: endedAt, branch };
      },
    );
    return { outcome, reason, path, emails, webhooks, updates, endedAt: this.now };
  }
}

/** What a rehearsal is told to meet at a step. */
export interface WaitAnswer {
  event: Record<string, unknown>;
  afterMinutes: number;
}

export interface WebhookAnswer {
  status: number;
  body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null for a timeout. */
function waitAnswer(answer: unknown): WaitAnswer | null {
  if (!isObject(answer) || answer['timeout'] === true) return null;
  const minutes = answer['after_minutes'] ?? answer['afterMinutes'];
  return {
    event: isObject(answer['event']) ? answer['event'] : {},
    afterMinutes: typeof minutes === 'number' && minutes >= 0 ? minutes : 0,
  };
}

function webhookAnswer(answer: unknown): WebhookAnswer {
  const { status, body = null } = isObject(answer) ? answer : {};
  return { status: typeof status === 'number' ? status : 200, body };
}

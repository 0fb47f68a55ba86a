import type { Contact, WebhookConfig, WorkflowGraph, WorkflowStep } from '@posthorn/contracts';
import type { Circumstances } from '../engine/step-machine.js';
import { Variables, type VariableSources } from '../engine/variables.js';
import { leave, stepAt, walk, type Stop, type Walk } from '../engine/walk.js';
import { effectId } from '../ids.js';
import { needsRendering } from '../texts/texts-of-stop.js';
import type { DueExecution, ExecutionChange, ExecutionWait, StepVisit } from './execution-row.js';

type Led = Pick<Walk, 'since' | 'ledBy'>;
type EffectStop = Extract<Stop, { kind: 'effect' }>;

/** The dispatcher wakes it earlier, with the response. */
export const webhookWaitMs = 30 * 86_400_000;
const maxReason = 500;

/** One execution while it goes on, in memory: what it decides, and what of that is to be written. */
export class Activation {
  readonly steps: StepVisit[] = [];
  readonly variables: Variables;
  stop: Stop | null = null;
  /** The texts of its stop, or why one of them cannot be rendered; null while they are not. */
  rendered: string[] | Error | null = null;
  private hadTexts = false;
  private readonly state: Walk;
  private number: number;
  private status: DueExecution['status'];
  private waitedFor: ExecutionWait | null;
  /** Step and visit of the row that is WAITING. */
  private openStep: string | null;

  constructor(
    readonly execution: DueExecution,
    graph: Pick<WorkflowGraph, 'steps' | 'transitions'>,
    readonly sources: VariableSources,
    private readonly zoneOf: Circumstances['timeZone'],
  ) {
    const { exitWhen, currentStepId, visits, enteredAt } = execution;
    const position = { stepId: currentStepId, visit: visits[currentStepId]! };
    const { id, at: since = enteredAt } = isAtStart(execution) ? (execution.event ?? {}) : {};
    const ledBy = id === undefined ? [] : [id];
    this.state = { graph, exitWhen, position, visits, enteredAt, since: new Date(since), ledBy };
    this.variables = new Variables(sources);
    this.number = execution.turn;
    this.status = execution.status;
    this.waitedFor = execution.wait;
    this.openStep = execution.openStep;
  }

  get step(): WorkflowStep {
    return stepAt(this.state);
  }

  /** The same however often the visit is repeated (docs/guarantees.md G12). */
  get effectId(): string {
    return effectId(this.execution.id, this.state.position!, this.state.enteredAt);
  }

  get effect(): EffectStop['effect'] | null {
    return this.stop?.kind === 'effect' ? this.stop.effect : null;
  }

  /** Its effect has texts that somebody else renders (`texts.work.ts`). */
  get awaitsTexts(): boolean {
    return this.rendered === null && needsRendering(this.stop);
  }

  get webhook(): WebhookConfig | null {
    return this.stop?.kind === 'webhook' ? this.stop.config : null;
  }

  /** Something is to be written. An effect whose position is stored already can be done at once. */
  get hasMoved(): boolean {
    return this.steps.length > 0;
  }

  /** The step at the position is done; the next one is entered. `led` is when, and perhaps by which event, it was done in truth. */
  settle(
    branch: string | null,
    output: Record<string, unknown> | null,
    instant: Date,
    led: Partial<Led> = {},
  ): void {
    const now = this.notBefore(instant);
    const { name } = this.step;
    const left = leave(this.state, branch, now);
    Object.assign(this.state, { since: led.since ?? now, ledBy: led.ledBy ?? [] });
    this.steps.push(this.visit({ ...left, status: 'DONE', output }));
    if (output) this.sources.steps[name] = output;
    this.stop = null;
    this.hadTexts ||= this.rendered !== null;
    this.rendered = null;
  }

  fail(error: string, now: Date): void {
    const { position, enteredAt } = this.state;
    const [text] = [error.slice(0, maxReason)];
    this.steps.push(
      this.visit({ ...position!, enteredAt, endedAt: now, branch: null, status: 'FAILED', error: text }),
    );
    this.stop = { kind: 'end', status: 'FAILED', reason: `${this.step.name}: ${text}`.slice(0, maxReason) };
  }

  /** Until something has to be done or waited for. */
  goOn(instant: Date): void {
    const now = this.notBefore(instant);
    const hasBegun = this.state.position !== null && this.openStep === nameOf(this.state.position);
    const circumstances = { now, timeZone: this.zoneOf, variables: this.variables };
    const { taken, stop } = walk(this.state, circumstances, { hasBegun });
    this.steps.push(...taken.map((left) => this.visit({ ...left, status: 'DONE' })));
    this.stop = stop;
    if (stop.kind === 'end') return this.leaveAtEnd(stop, now);
    const { position, enteredAt } = this.state;
    if (stop.kind === 'effect' && this.openStep === nameOf(position!)) return;
    this.steps.push(
      this.visit({
        ...position!,
        enteredAt,
        endedAt: null,
        branch: null,
        status: 'WAITING',
        dueAt: dueOf(stop),
        input: inputOf(stop),
      }),
    );
  }

  change(now: Date): ExecutionChange {
    const stop = this.stop!;
    const { position, visits, enteredAt, since, ledBy } = this.state;
    const { id, workflowId, contactId } = this.execution;
    return {
      id,
      workflowId,
      contactId,
      visits,
      enteredAt,
      turn: this.number,
      before: this.status,
      status: this.statusAfter(stop),
      reason: stop.kind === 'end' ? stop.reason : null,
      currentStepId: position?.stepId ?? this.steps.at(-1)!.stepId,
      wait: this.awaitsTexts ? null : waitOf(stop),
      dueAt: this.awaitsTexts ? now : dueAtOf(stop, now),
      hadTexts: this.hadTexts || this.rendered !== null,
      at: now,
      steps: [...this.steps],
      waitedFor: this.waitedFor,
      stepBefore: this.openStep,
      awaits: stop.kind === 'event' ? { eventName: stop.eventName, since, ledBy } : null,
    };
  }

  private statusAfter(stop: Stop): ExecutionChange['status'] {
    if (stop.kind === 'end') return stop.status;
    return stop.kind === 'effect' || this.awaitsTexts ? 'RUNNING' : 'WAITING';
  }

  /** Later steps see it. A null removes a field. */
  changeContact(updates: Record<string, unknown>, subscribed: boolean | undefined): void {
    const { contact } = this.sources;
    const merged = Object.entries({ ...contact.customFields, ...updates });
    contact.customFields = Object.fromEntries(merged.filter(([, value]) => value !== null));
    if (subscribed !== undefined) contact.subscribed = subscribed;
  }

  /** As it is now, whoever changed it. */
  showContact({ customFields, subscribed }: Pick<Contact, 'customFields' | 'subscribed'>): void {
    Object.assign(this.sources.contact, { customFields, subscribed });
  }

  /** Its changes are committed. */
  saved({ status, wait }: ExecutionChange): void {
    const last = this.steps.at(-1)!;
    this.openStep = last.status === 'WAITING' ? nameOf(last) : null;
    this.waitedFor = wait;
    this.steps.length = 0;
    this.number += 1;
    this.status = status;
  }

  /** An end in the middle of the graph, by a goal, leaves its step undone. */
  private leaveAtEnd(stop: Extract<Stop, { kind: 'end' }>, now: Date): void {
    const { position, enteredAt } = this.state;
    if (
      position === null ||
      this.steps.some(({ stepId, visit }) => stepId === position.stepId && visit === position.visit)
    )
      return;
    const status = stop.status === 'FAILED' ? 'FAILED' : 'SKIPPED';
    this.steps.push(
      this.visit({
        ...position,
        enteredAt,
        endedAt: now,
        branch: null,
        status,
        error: stop.status === 'FAILED' ? stop.reason : null,
      }),
    );
  }

  /** Rounding may have put the entry of a step after the clock. */
  private notBefore(instant: Date): Date {
    return instant < this.state.enteredAt ? this.state.enteredAt : instant;
  }

  private visit(
    seen: Pick<StepVisit, 'stepId' | 'visit' | 'enteredAt' | 'endedAt' | 'branch' | 'status'> &
      Partial<StepVisit>,
  ): StepVisit {
    return { executionId: this.execution.id, dueAt: null, input: null, output: null, error: null, ...seen };
  }
}

/** It was started, and has not gone on. */
const isAtStart = ({ turn }: DueExecution): boolean => turn === 0;

const nameOf = ({ stepId, visit }: Pick<StepVisit, 'stepId' | 'visit'>): string => `${stepId} ${visit}`;

function waitOf({ kind }: Stop): ExecutionWait | null {
  switch (kind) {
    case 'delay':
      return 'TIME';
    case 'event':
      return 'EVENT';
    case 'webhook':
      return 'WEBHOOK';
    case 'effect':
    case 'end':
      return null;
  }
}

const dueOf = (stop: Stop): Date | null =>
  stop.kind === 'delay' || stop.kind === 'event' ? stop.until : null;

function dueAtOf(stop: Stop, now: Date): Date | null {
  if (stop.kind === 'end') return null;
  if (stop.kind === 'webhook') return new Date(now.getTime() + webhookWaitMs);
  return dueOf(stop) ?? now;
}

/** What history shows of a step's configuration. */
function inputOf(stop: Stop): object | null {
  switch (stop.kind) {
    case 'effect':
      return stop.effect.kind === 'email'
        ? { templateId: stop.effect.config.templateId ?? null, subject: stop.effect.config.subject ?? null }
        : { updates: stop.effect.config.updates ?? {}, subscribed: stop.effect.config.subscribed ?? null };
    case 'webhook':
      return { method: stop.config.method ?? 'POST', url: stop.config.url };
    case 'event':
      return { eventName: stop.eventName };
    case 'delay':
    case 'end':
      return null;
  }
}

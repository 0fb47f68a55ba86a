import { Injectable } from '@nestjs/common';
import { isTimeZone, storableJson, type Contact } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import type { Walk } from '../engine/walk.js';
import { GraphCache, usesZone, type ExecutableGraph } from '../graphs/graph-cache.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { effectId } from '../ids.js';
import { ProjectZones, People } from './people.js';
import { RenderedTextsRepository } from '../texts/rendered-texts.repository.js';
import { StepCalls } from '../webhooks/steps/step-calls.js';
import type { CallResult } from '../webhooks/calls/calls.repository.js';
import { Activation, webhookWaitMs } from './activation.js';
import type { DueExecution, OccurredEvent } from './execution-row.js';
import { ExecutionsRepository } from './executions.repository.js';

type Led = Pick<Walk, 'since' | 'ledBy'>;

interface Known {
  contacts: Map<string, Contact>;
  data: Map<string, Record<string, unknown>>;
  outputs: Map<string, Record<string, unknown>>;
  calls: ReadonlyMap<string, CallResult>;
  /** By the id of the effect. */
  texts: ReadonlyMap<string, string[] | Error>;
  /** Of the project. */
  zone: string;
}

export interface BegunActivations {
  activations: Activation[];
  /** Executions of deleted contacts. */
  orphans: DueExecution[];
  /** Their version of the graph is no longer kept. */
  lost: DueExecution[];
}

/** Loads what the executions of a batch need, with a fixed number of queries, and ends what they waited for. */
@Injectable()
export class Activations {
  private readonly graphs: GraphCache;

  constructor(
    database: Database,
    private readonly executions: ExecutionsRepository,
    private readonly people: People,
    private readonly calls: StepCalls,
    private readonly zones: ProjectZones,
    private readonly rendered: RenderedTextsRepository,
  ) {
    this.graphs = new GraphCache(new Graphs(database));
  }

  async begin(projectId: string, ids: readonly string[], now: Date): Promise<BegunActivations> {
    const due = await this.executions.due(projectId, ids);
    if (due.length === 0) return { activations: [], orphans: [], lost: [] };
    const graphs = await this.graphsOf(projectId, due);
    const known = await this.knownOf(projectId, due, graphs);
    const activations: Activation[] = [];
    const orphans: DueExecution[] = [];
    const lost: DueExecution[] = [];
    for (const execution of due) {
      const contact = known.contacts.get(execution.contactId);
      const executable = graphs.get(keyOf(execution));
      if (!contact) orphans.push(execution);
      else if (!executable) lost.push(execution);
      else if (isUnanswered(execution, known)) continue;
      else activations.push(this.activationOf(execution, executable, contact, known, now));
    }
    return { activations, orphans, lost };
  }

  now(): Promise<Date> {
    return this.executions.now();
  }

  private activationOf(
    execution: DueExecution,
    { graph }: ExecutableGraph,
    { id, email, subscribed, customFields }: Contact,
    { data, outputs, calls, zone, texts }: Known,
    now: Date,
  ): Activation {
    const { event, met, context, workflowId, workflowName, startedAt } = execution;
    const sources = {
      contact: { id, email, subscribed, customFields },
      event: dataOf(event, data, email),
      context,
      workflow: { id: workflowId, name: workflowName },
      execution: { id: execution.id, startedAt },
      steps: outputs.get(execution.id) ?? {},
    };
    const activation = new Activation(
      execution,
      graph,
      sources,
      (field) => zoneIn(customFields, field) ?? zone,
    );
    const led = ledBy(execution);
    endWait(
      activation,
      { met: dataOf(met, data, email), call: calls.get(activation.effectId) ?? null, led },
      now,
    );
    if (activation.stop === null) activation.goOn(now);
    if (activation.awaitsTexts) activation.rendered = texts.get(activation.effectId) ?? null;
    return activation;
  }

  private async graphsOf(
    projectId: string,
    due: readonly DueExecution[],
  ): Promise<Map<string, ExecutableGraph>> {
    const graphs = new Map<string, ExecutableGraph>();
    for (const execution of due) {
      if (graphs.has(keyOf(execution))) continue;
      const graph = await this.graphs.of(projectId, execution.workflowId, execution.workflowVersion);
      if (graph) graphs.set(keyOf(execution), graph);
    }
    return graphs;
  }

  private async knownOf(
    projectId: string,
    due: readonly DueExecution[],
    graphs: Map<string, ExecutableGraph>,
  ): Promise<Known> {
    const needOutputs = due.filter((execution) => namesOutputs(execution, graphs.get(keyOf(execution))));
    const events = due
      .flatMap(({ event, met }) => [event, met])
      .flatMap((event) => (event?.data === null ? [event.id] : []));
    const called = due.flatMap((execution) => (execution.wait === 'WEBHOOK' ? [effectIdOf(execution)] : []));
    const needsZone = [...graphs.values()].some(({ graph }) => usesZone(graph));
    const needTexts = due.filter((execution) => graphs.get(keyOf(execution))?.usesTexts);
    const [contacts, data, outputs, calls, zone, texts] = await Promise.all([
      this.people.byIds(
        projectId,
        due.map(({ contactId }) => contactId),
      ),
      events.length > 0 ? this.people.eventData(projectId, events) : new Map(),
      this.outputsOf(projectId, needOutputs, graphs),
      called.length > 0 ? this.calls.results(projectId, called) : new Map(),
      needsZone ? this.zones.of(projectId) : 'UTC',
      this.textsOf(projectId, needTexts),
    ]);
    return { contacts, data, outputs, calls, zone, texts };
  }

  private async textsOf(projectId: string, due: readonly DueExecution[]): Promise<Known['texts']> {
    if (due.length === 0) return new Map();
    const ids = due.map(({ id }) => id);
    const rows = await this.rendered.of(projectId, ids);
    return new Map(
      rows.map(({ effectId, texts, error }) => [
        effectId,
        texts ?? new Error(error ?? 'It was not rendered'),
      ]),
    );
  }

  private async outputsOf(
    projectId: string,
    due: readonly DueExecution[],
    graphs: Map<string, ExecutableGraph>,
  ): Promise<Known['outputs']> {
    const outputs: Known['outputs'] = new Map(due.map(({ id }) => [id, {}]));
    if (due.length === 0) return outputs;
    const rows = await this.executions.outputs(projectId, [...outputs.keys()]);
    const byId = new Map(due.map((execution) => [execution.id, execution]));
    for (const { executionId, stepId, output } of rows) {
      const steps = graphs.get(keyOf(byId.get(executionId)!))!.graph.steps;
      const name = steps.find(({ id }) => id === stepId)?.name;
      if (name !== undefined) outputs.get(executionId)![name] = output;
    }
    return outputs;
  }
}

const keyOf = ({ workflowId, workflowVersion }: DueExecution): string => `${workflowId} ${workflowVersion}`;

const effectIdOf = ({ id, currentStepId, visits, enteredAt }: DueExecution): string =>
  effectId(id, { stepId: currentStepId, visit: visits[currentStepId]! }, enteredAt);

/** The dispatcher wakes the execution once more when its call has ended. */
function isUnanswered(execution: DueExecution, { calls }: Known): boolean {
  if (execution.wait !== 'WEBHOOK' || execution.isDue) return false;
  const status = calls.get(effectIdOf(execution))?.status ?? 'PENDING';
  return status === 'PENDING';
}

const namesOutputs = ({ exitWhen }: DueExecution, executable: ExecutableGraph | undefined): boolean =>
  executable?.usesOutputs === true || exitWhen?.field.startsWith('steps.') === true;

/** Events of segments come without the address, which may have changed since. */
function dataOf(
  event: OccurredEvent | null,
  known: Known['data'],
  email: string,
): Record<string, unknown> | null {
  if (!event) return null;
  const data = event.data ?? known.get(event.id) ?? {};
  return event.name.startsWith('segment.') ? { ...data, email } : data;
}

/** Of the contact; null where it names none. */
export function zoneIn(customFields: Record<string, unknown>, field: string | undefined): string | null {
  const zone = field === undefined ? undefined : customFields[field];
  return typeof zone === 'string' && isTimeZone(zone) ? zone : null;
}

/** By the event that ended its wait, or by the end of its time. */
function ledBy({ met, dueAt }: DueExecution): Led {
  if (!met?.at) return { since: dueAt, ledBy: [] };
  const since = new Date(met.at);
  const isOfSameInstant = met.since !== undefined && new Date(met.since).getTime() === since.getTime();
  return { since, ledBy: [...(isOfSameInstant ? (met.ledBy ?? []) : []), met.id] };
}

/** What an execution waited for has come, or its time is over. */
function endWait(
  activation: Activation,
  { met, call, led }: { met: Record<string, unknown> | null; call: CallResult | null; led: Led },
  now: Date,
): void {
  switch (activation.execution.wait) {
    case null:
      return;
    case 'TIME':
      return activation.settle(null, null, now, led);
    case 'EVENT':
      return met
        ? activation.settle('event', { event: met }, now, led)
        : activation.settle('timeout', null, now, led);
    case 'WEBHOOK':
      return endCall(activation, call, now);
  }
}

function endCall(activation: Activation, call: CallResult | null, now: Date): void {
  if (call?.status === 'SUCCESS')
    // What the call caused is not before the wait for it.
    return activation.settle(null, { status: call.responseStatus, body: bodyOf(call.responseBody) }, now, {
      since: new Date(activation.execution.dueAt.getTime() - webhookWaitMs),
    });
  const { error = null, responseStatus = null } = call ?? {};
  activation.fail(error ?? (responseStatus === null ? 'No response came' : `HTTP ${responseStatus}`), now);
}

/** JSON where it is, so that later steps can refer to its members. */
const bodyOf = (text: string | null): unknown => (text === null ? null : (storableJson(text) ?? text));

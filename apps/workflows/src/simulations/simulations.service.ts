import { Injectable } from '@nestjs/common';
import {
  DomainError,
  workflowMail,
  type Caller,
  type SendEmailConfig,
  invalidMember,
  simulations,
  type SimulatedContact,
  type SimulateWorkflow,
  type Simulation,
  type WorkflowGraph,
} from '@posthorn/contracts';
import { DatabaseClock, newId } from '@posthorn/database';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { startOf, type ExitCondition } from '../engine/walk.js';
import { contentOf, reasonOf, recipientOf } from '../executions/effects.js';
import { People, ProjectZones } from '../executions/people.js';
import { Activation } from '../executions/activation.js';
import { zoneIn } from '../executions/activations.js';
import { WebhookRequests } from '../executions/webhook-requests.js';
import { usesZone } from '../graphs/graph-cache.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { StepTexts } from '../texts/step-texts.js';
import { UsedVariables } from '../texts/used-variables.js';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { type RehearsalTexts, Rehearsal } from './rehearsal.js';

/** Mails and requests as they would leave. */
@Injectable()
export class RenderedTexts {
  constructor(
    private readonly bus: Bus,
    private readonly texts: StepTexts,
    private readonly requests: WebhookRequests,
    private readonly used: UsedVariables,
  ) {}

  of(caller: Caller): RehearsalTexts {
    return {
      email: (activation, config) => this.email(caller, activation, config),
      webhook: async (activation) =>
        (await this.requests.of(caller.projectId, [activation])).get(activation)!,
    };
  }

  private async email(caller: Caller, activation: Activation, config: SendEmailConfig) {
    const to = await recipientOf(this.texts, caller.projectId, activation, config);
    if (to instanceof Error) return to;
    const content = contentOf(config);
    const variables = await this.used.of(caller.projectId, content, activation.variables.shown());
    const rendered = await this.bus
      .call(workflowMail.tryOut, caller, { ...content, variables })
      .catch(refusalOf);
    return rendered instanceof Error ? rendered : { to, ...rendered };
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof DomainError && error.kind === 'invalid') return new Error(reasonOf(error));
  throw error;
}

export interface Rehearsed {
  workflow: WorkflowRow;
  graph: WorkflowGraph;
  /** Of the project. */
  zone: string;
  contact: { id: string; email: string; subscribed: boolean; customFields: Record<string, unknown> };
  event: Record<string, unknown> | null;
  context: Record<string, unknown>;
  answers: Record<string, unknown>;
}

@Injectable()
export class SimulationsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: Graphs,
    private readonly people: People,
    private readonly rendered: RenderedTexts,
    private readonly zones: ProjectZones,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(simulations.run)
  async run({ caller, body: request }: Incoming<SimulateWorkflow>): Promise<Simulation> {
    const { event = null, context = {}, answers = {} } = request;
    const definition = await this.definition(caller.projectId, request.id);
    const contact = await this.contactOf(caller.projectId, request);
    const texts = this.rendered.of(caller);
    return this.rehearse({ ...definition, contact, event, context, answers }, texts, await this.clock.now());
  }

  async definition(projectId: string, id: string): Promise<Pick<Rehearsed, 'workflow' | 'graph' | 'zone'>> {
    const workflow = await this.workflows.findOrFail(projectId, id);
    const graph = (await this.graphs.find(projectId, id))!;
    return { workflow, graph, zone: usesZone(graph) ? await this.zones.of(projectId) : 'UTC' };
  }

  rehearse(
    { workflow, graph, zone, contact, event, context, answers }: Rehearsed,
    texts: RehearsalTexts,
    now: Date,
  ): Promise<Simulation> {
    const exitWhen = workflow.exitWhen as ExitCondition | null;
    const start = startOf(graph, exitWhen, now);
    const id = newId();
    const execution = {
      id,
      workflowId: workflow.id,
      workflowName: workflow.name,
      workflowVersion: graph.version,
      lenders: [],
      exitWhen,
      contactId: contact.id,
      status: 'RUNNING' as const,
      wait: null,
      currentStepId: start.position!.stepId,
      visits: start.visits,
      enteredAt: now,
      dueAt: now,
      startedAt: now,
      context,
      event: null,
      turn: 0,
      isDue: true,
      openStep: null,
      met: null,
    };
    const sources = {
      contact: { ...contact, customFields: { ...contact.customFields } },
      event,
      context,
      workflow: { id: workflow.id, name: workflow.name },
      execution: { id, startedAt: now },
      steps: {},
    };
    const activation = new Activation(
      execution,
      graph,
      sources,
      (field) => zoneIn(contact.customFields, field) ?? zone,
    );
    return new Rehearsal(activation, graph, answers, texts, now).run();
  }

  private async contactOf(
    projectId: string,
    { contact, contactId }: SimulateWorkflow,
  ): Promise<Rehearsed['contact']> {
    if (contact && contactId !== undefined) throw twoContacts();
    if (contact) return madeUp(contact);
    const known = (await this.people.byIds(projectId, [contactId!])).get(contactId!);
    if (!known) throw invalidMember(['contactId'], 'not_found', 'must be a contact of this project');
    return known;
  }
}

const twoContacts = () =>
  invalidMember(['contactId'], 'not_allowed', 'must be absent where a contact is given');

const madeUp = ({ email, subscribed = true, customFields = {} }: SimulatedContact): Rehearsed['contact'] => ({
  id: newId(),
  email,
  subscribed,
  customFields,
});

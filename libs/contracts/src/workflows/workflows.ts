import { event, query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Choice, Count, Flag, FreeMap, Id, Instant, ListOf, Nullable, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** EVENT needs `eventName`, SCHEDULE `intervalMs`, MANUAL neither (docs/api-decisions.md §7). */
export const triggerTypes = ['EVENT', 'MANUAL', 'SCHEDULE'] as const;
export type TriggerType = (typeof triggerTypes)[number];

export const stepTypes = [
  'TRIGGER',
  'SEND_EMAIL',
  'DELAY',
  'WAIT_FOR_EVENT',
  'CONDITION',
  'WEBHOOK',
  'UPDATE_CONTACT',
  'EXIT',
] as const;
export type StepType = (typeof stepTypes)[number];

export const maxWorkflowName = 200;
const minIntervalMs = 60_000;
const maxIntervalMs = 30 * 86_400_000;
const maxSteps = 200;
const maxTransitions = 400;

export class Workflow {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, maxWorkflowName) name: string;
  @Text(0, 1000) @Nullable() description: string | null;
  @Flag() enabled: boolean;
  @Choice(triggerTypes) triggerType: TriggerType;
  @Text(1, 200) @Nullable() eventName: string | null;
  /** Interval of a SCHEDULE in milliseconds: one minute to 30 days. */
  @Count({ min: minIntervalMs, max: maxIntervalMs }) @Nullable() intervalMs: number | null;
  /** False: one execution per contact; true: one at a time. */
  @Flag() allowReentry: boolean;
  /** Null means no limit. */
  @Count({ min: 1 }) @Nullable() maxExecutionsPerHour: number | null;
  /** Increases when the graph is replaced. */
  @Count() version: number;
  @Count() stepCount: number;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class WorkflowBase extends PickFields(Workflow, ['name', 'triggerType']) {}

const settings = [
  'description',
  'enabled',
  'eventName',
  'intervalMs',
  'allowReentry',
  'maxExecutionsPerHour',
] as const;
class WorkflowSettings extends PickFields(Workflow, settings) {}

/** Created disabled (`enabled: true` is 422) with a TRIGGER step; by default without reentry and limit. */
export class CreateWorkflow extends JoinFields(WorkflowBase, PartialFields(WorkflowSettings)) {}

/** Absent members are unchanged, null clears. A new `triggerType` drops the old settings. */
export class UpdateWorkflow extends PartialFields(CreateWorkflow) {}

export class WorkflowId extends PickFields(Workflow, ['id']) {}

export class UpdateWorkflowById extends JoinFields(WorkflowId, UpdateWorkflow) {}

export class ListWorkflows extends PageQuery {}

export class WorkflowPage extends PageEnd {
  @ListOf(() => Workflow, 0, 100) items: Workflow[];
}

export class DeletedWorkflow extends PickFields(Workflow, ['id']) {}

export class WorkflowStep {
  @Id() id: string;
  @Text(1, 100) name: string;
  /** `x` and `y`, and any other layout data. */
  @FreeMap() position: Record<string, unknown>;
  @Id() @Nullable() templateId: string | null;
  @Choice(stepTypes) type: StepType;
  /** Stored unchanged, unknown keys included; its keys are camelCase on both surfaces. */
  @FreeMap() config: Record<string, unknown>;
}

export class WorkflowTransition {
  @Id() id: string;
  @Id() fromStepId: string;
  @Id() toStepId: string;
  /** JSON in a string; null means always. */
  @Text(2, 1000) @Nullable() condition: string | null;
  @Count() priority: number;
}

export class WorkflowGraph {
  @Id() workflowId: string;
  @Count() version: number;
  @ListOf(() => WorkflowStep, 1, maxSteps) steps: WorkflowStep[];
  @ListOf(() => WorkflowTransition, 0, maxTransitions) transitions: WorkflowTransition[];
}

export const workflows = {
  /** Errors: `validation_error` for missing trigger settings and for `enabled: true`. */
  create: request('workflows.workflows.create', CreateWorkflow, Workflow),
  get: query('workflows.workflows.get', WorkflowId, Workflow),
  list: query('workflows.workflows.list', ListWorkflows, WorkflowPage),
  update: request('workflows.workflows.update', UpdateWorkflowById, Workflow),
  delete: request('workflows.workflows.delete', WorkflowId, DeletedWorkflow),
  /** Definition and graph with new ids, disabled, at version 1. */
  clone: request('workflows.workflows.clone', WorkflowId, Workflow),
  graph: query('workflows.workflows.graph', WorkflowId, WorkflowGraph),
};

export class WorkflowEvent {
  @Id() workflowId: string;
  @Count() version: number;
  @Instant() at: Date;
  @Count() seq: number;
}

export const workflowEvents = {
  changed: event('workflows.workflow.changed', WorkflowEvent, 'A workflow was created or changed.'),
  deleted: event('workflows.workflow.deleted', WorkflowEvent, 'A workflow was deleted with its graph.'),
};

export const workflowNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such workflow');

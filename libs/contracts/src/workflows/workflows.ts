import { event, query, request } from '../schema/contract.js';
import { isReservedEventName } from '../contacts/events.js';
import { DomainError } from '../common/errors.js';
import type { Scope } from '../common/scopes.js';
import {
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Text,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** EVENT needs `eventName`, SCHEDULE `intervalMs` and perhaps `segmentId`, MANUAL nothing (docs/api-decisions.md §7). */
export const triggerTypes = ['EVENT', 'MANUAL', 'SCHEDULE'] as const;
export type TriggerType = (typeof triggerTypes)[number];

export const maxWorkflowName = 200;
export const maxEnabledWorkflows = 200;
const minIntervalMs = 60_000;
const maxIntervalMs = 30 * 86_400_000;

/** What happens to mail and contacts, as triggers and waits name it; the API records no events of these names. */
export const systemEventNames = [
  'email.sent',
  'email.delivery',
  'email.open',
  'email.click',
  'email.bounce',
  'email.complaint',
  'email.received',
  'contact.subscribed',
  'contact.unsubscribed',
] as const;
export type SystemEventName = (typeof systemEventNames)[number];

const segmentEventName = /^segment\.[a-z0-9-]+\.(?:entry|exit)$/;

/** False for a reserved name that no event has. */
export const canHappen = (eventName: string): boolean =>
  !isReservedEventName(eventName) ||
  systemEventNames.includes(eventName as SystemEventName) ||
  segmentEventName.test(eventName);

export class Workflow {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, maxWorkflowName) name: string;
  @Text(0, 1000) @Nullable() description: string | null;
  @Flag() enabled: boolean;
  @Choice(triggerTypes) triggerType: TriggerType;
  /** A custom event, or a system event such as `email.open` or `segment.<slug>.entry`. */
  @Text(1, 200) @Nullable() eventName: string | null;
  /** Interval of a SCHEDULE in milliseconds: one minute to 30 days. */
  @Count({ min: minIntervalMs, max: maxIntervalMs }) @Nullable() intervalMs: number | null;
  /** Whom a SCHEDULE is for; null means all subscribed contacts. */
  @Id() @Nullable() segmentId: string | null;
  /** False: one execution per contact; true: one at a time. */
  @Flag() allowReentry: boolean;
  /** Null means no limit. */
  @Count({ min: 1 }) @Nullable() maxExecutionsPerHour: number | null;
  /** A goal: `{field, operator, value}` as in a CONDITION step. Where it holds when an execution goes on, that ends early, as EXITED; a DELAY is not cut short. */
  @FreeMap({ max: 4_096 }) @Nullable() exitWhen: Record<string, unknown> | null;
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
  'segmentId',
  'allowReentry',
  'maxExecutionsPerHour',
  'exitWhen',
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

export class ResumedWorkflow {
  @Nested(() => Workflow) workflow: Workflow;
  /** How many executions a pause ended; 0 after a resume. */
  @Count() cancelledExecutions: number;
}

export class DeletedWorkflow extends PickFields(Workflow, ['id']) {}

export const workflows = {
  /** Errors: `validation_error` for missing trigger settings, an unknown segment and `enabled: true`. */
  create: request('workflows.workflows.create', CreateWorkflow, Workflow),
  get: query('workflows.workflows.get', WorkflowId, Workflow),
  list: query('workflows.workflows.list', ListWorkflows, WorkflowPage),
  /** Errors: those of `resume` where it is enabled. */
  update: request('workflows.workflows.update', UpdateWorkflowById, Workflow),
  /** Errors: `conflict` while executions run. */
  delete: request('workflows.workflows.delete', WorkflowId, DeletedWorkflow),
  /** Definition and graph with new ids, disabled, at version 1. */
  clone: request('workflows.workflows.clone', WorkflowId, Workflow),
  /** Enables it. Errors: `validation_error` with what its steps lack, `conflict` if its graph was replaced meanwhile. */
  resume: request('workflows.workflows.resume', WorkflowId, ResumedWorkflow),
  /** Disables it and cancels what runs. */
  pause: request('workflows.workflows.pause', WorkflowId, ResumedWorkflow),
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

export const workflowRunning = () =>
  new DomainError('conflict', 'conflict', 'Executions of the workflow are running: pause it first');
export const workflowChanged = () =>
  new DomainError(
    'conflict',
    'conflict',
    'The graph of the workflow was replaced meanwhile: repeat the request',
  );
export const tooManyEnabledWorkflows = () =>
  new DomainError(
    'conflict',
    'conflict',
    `A project may have at most ${maxEnabledWorkflows} enabled workflows: pause one first`,
  );
export const workflowScopeMissing = (scope: Scope) =>
  new DomainError(
    'forbidden',
    'scope_missing',
    `The steps of the workflow need the scope ${scope}, which the credential lacks`,
  );
export const workflowVersionNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such version of the workflow');
export const workflowNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such workflow');

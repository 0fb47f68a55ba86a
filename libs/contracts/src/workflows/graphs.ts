import { query, request } from '../schema/contract.js';
import { Choice, Count, FreeMap, Id, ListOf, Nullable, Optional, Text, TextOrMap } from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { findingSeverities, type FindingSeverity } from '../sending/templates.js';
import { WorkflowId } from './workflows.js';

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

export const maxSteps = 200;
export const maxTransitions = 400;
const maxConfigBytes = 65_536;

export class WorkflowStep {
  @Id() id: string;
  @Text(1, 100) name: string;
  /** `x` and `y`, and any other layout data. */
  @FreeMap({ max: 4_096 }) position: Record<string, unknown>;
  @Id() @Nullable() templateId: string | null;
  @Choice(stepTypes) type: StepType;
  /** Stored unchanged, unknown keys included; its keys are camelCase on both surfaces. */
  @FreeMap({ max: maxConfigBytes }) config: Record<string, unknown>;
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

/** `templateId` is accepted and ignored, so that GET's answer fits PUT: it is part of `config`. */
export class GivenStep extends PickFields(WorkflowStep, ['id', 'name', 'position', 'type', 'config']) {
  @Id() @Optional() @Nullable() templateId?: string | null;
}

export class GivenTransition extends PickFields(WorkflowTransition, [
  'id',
  'fromStepId',
  'toStepId',
  'priority',
]) {
  /** An object, or JSON in a string; null means always. */
  @TextOrMap(2, 1000) @Nullable() condition: string | null;
}

/** `workflowId` and `version` are accepted and ignored, so that GET's answer fits PUT. */
export class GivenGraph {
  @Id() @Optional() workflowId?: string;
  @Count() @Optional() version?: number;
  @ListOf(() => GivenStep, 1, maxSteps) steps: GivenStep[];
  @ListOf(() => GivenTransition, 0, maxTransitions) transitions: GivenTransition[];
}

export class GraphOfWorkflow extends GivenGraph {
  @Id() id: string;
}

/** ERROR: PUT refuses it, or the workflow cannot be enabled. WARNING: probably not what was meant. */
export class GraphFinding {
  /** A JSON Pointer into the graph. */
  @Text(0, 1000) pointer: string;
  @Text(1, 64) code: string;
  @Text(1, 500) message: string;
  @Choice(findingSeverities) severity: FindingSeverity;
}

export const maxFindings = 1_000;

export class GraphFindings {
  @ListOf(() => GraphFinding, 0, maxFindings) findings: GraphFinding[];
}

class GraphVersion extends PickFields(WorkflowGraph, ['version']) {}

export class VersionOfWorkflow extends JoinFields(WorkflowId, GraphVersion) {}

export const workflowGraphs = {
  get: query('workflows.graphs.get', WorkflowId, WorkflowGraph),
  /** Replaces the graph as a whole. Errors: `validation_error` (each rule with its pointer), `conflict` while executions run. */
  put: request('workflows.graphs.put', GraphOfWorkflow, WorkflowGraph),
  /** Everything that PUT and enabling would refuse, and what is probably not meant; nothing is stored. */
  validate: query('workflows.graphs.validate', GraphOfWorkflow, GraphFindings),
  /** As it was put. */
  version: query('workflows.graphs.version', VersionOfWorkflow, WorkflowGraph),
};

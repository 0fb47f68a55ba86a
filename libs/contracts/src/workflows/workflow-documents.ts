import { query, request } from '../schema/contract.js';
import { Choice, ListOf, Nested } from '../schema/fields.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';
import {
  GivenStep,
  GivenTransition,
  maxSteps,
  maxTransitions,
  WorkflowStep,
  WorkflowTransition,
} from './graphs.js';
import { Workflow, WorkflowId } from './workflows.js';

/** Rises when a document of the old form could be read wrongly. */
export const workflowFormat = 'posthorn.workflow/1';

export class ExportedGraph {
  @ListOf(() => WorkflowStep, 1, maxSteps) steps: WorkflowStep[];
  @ListOf(() => WorkflowTransition, 0, maxTransitions) transitions: WorkflowTransition[];
}

export class ImportedGraph {
  @ListOf(() => GivenStep, 1, maxSteps) steps: GivenStep[];
  @ListOf(() => GivenTransition, 0, maxTransitions) transitions: GivenTransition[];
}

class DocumentNames extends PickFields(Workflow, ['name', 'triggerType']) {
  @Choice([workflowFormat]) format: typeof workflowFormat;
}

class DocumentSettings extends PickFields(Workflow, [
  'description',
  'eventName',
  'intervalMs',
  'segmentId',
  'allowReentry',
  'maxExecutionsPerHour',
  'exitWhen',
]) {}

/** A workflow with its graph, without what belongs to one installation: id, state, version and instants. */
export class ExportedWorkflow extends JoinFields(DocumentNames, DocumentSettings) {
  @Nested(() => ExportedGraph) graph: ExportedGraph;
}

export class ImportWorkflow extends JoinFields(DocumentNames, PartialFields(DocumentSettings)) {
  @Nested(() => ImportedGraph) graph: ImportedGraph;
}

export const workflowDocuments = {
  export: query('workflows.documents.export', WorkflowId, ExportedWorkflow),
  /** A new workflow, disabled, with the ids of its steps. Errors: those of creating it and of putting its graph, below `/graph`. */
  import: request('workflows.documents.import', ImportWorkflow, Workflow),
};

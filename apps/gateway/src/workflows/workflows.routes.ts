import {
  contactEnteredBefore,
  contactIsInside,
  executionEnded,
  executionNotFailed,
  executionNotFound,
  executionNotWaiting,
  executions,
  simulations,
  startsUsedUp,
  tooManyEnabledWorkflows,
  UpdateWorkflow,
  workflowChanged,
  workflowDisabled,
  workflowDocuments,
  workflowGraphs,
  workflowNotFound,
  workflowRunning,
  workflows,
  workflowVersionNotFound,
} from '@posthorn/contracts';
import { create, get, list, patch, post, put, remove, routes } from '../routes/calls.js';

const common = { read: 'workflows:read', write: 'workflows:write', missing: workflowNotFound } as const;
/** Mail that is being handed over, or another effect that is under way, ends first. */
const untilQuiet = { timeoutMs: 8_000 };

export const workflowRoutes = routes('workflows', common, {
  create: create('workflows', workflows.create, 'Create a disabled workflow with its TRIGGER step'),
  list: list('workflows', workflows.list, 'List workflows, newest first'),
  get: get('workflows/:id', workflows.get, 'Get a workflow without its graph'),
  update: patch('workflows/:id', workflows.update, 'Update a workflow', {
    errors: [workflowChanged, tooManyEnabledWorkflows],
  }),
  delete: remove('workflows/:id', workflows.delete, 'Delete a workflow and its graph', {
    errors: [workflowRunning],
  }),
  clone: create(
    'workflows/:id/clone',
    workflows.clone,
    'Copy a workflow and its graph; the copy is disabled',
  ),
  resume: post('workflows/:id/resume', workflows.resume, 'Enable a workflow whose steps are all configured', {
    errorShape: UpdateWorkflow,
    errors: [workflowChanged, tooManyEnabledWorkflows],
  }),
  pause: post(
    'workflows/:id/pause',
    workflows.pause,
    'Disable a workflow and cancel its running executions',
    { waits: untilQuiet },
  ),
  export: get(
    'workflows/:id/export',
    workflowDocuments.export,
    'Get a workflow and its graph as one document',
  ),
  import: create('workflows/import', workflowDocuments.import, 'Create a disabled workflow from a document'),
});

export const workflowGraphRoutes = routes('workflowGraphs', common, {
  get: get('workflows/:id/graph', workflowGraphs.get, 'Get the steps and transitions of a workflow'),
  put: put(
    'workflows/:id/graph',
    workflowGraphs.put,
    'Replace the steps and transitions of a workflow as a whole',
    { errors: [workflowRunning] },
  ),
  validate: post(
    'workflows/:id/graph/validate',
    workflowGraphs.validate,
    'Find everything that is wrong with a graph, without storing it',
  ),
  version: get(
    'workflows/:id/versions/:version/graph',
    workflowGraphs.version,
    'Get an earlier version of the graph',
    { missing: workflowVersionNotFound },
  ),
});

const ofWorkflow = { named: { id: 'workflowId' } } as const;
const ofExecution = {
  named: { id: 'workflowId', executionId: 'id' },
  missing: executionNotFound,
} as const;

export const executionRoutes = routes('executions', common, {
  list: list(
    'workflows/:id/executions',
    executions.list,
    'List executions of a workflow, newest first',
    ofWorkflow,
  ),
  start: create('workflows/:id/executions', executions.start, 'Start a workflow for a contact', {
    ...ofWorkflow,
    errors: [workflowDisabled, contactEnteredBefore, contactIsInside, startsUsedUp],
  }),
  get: get(
    'workflows/:id/executions/:executionId',
    executions.get,
    'Get an execution with the steps that it has taken',
    ofExecution,
  ),
  cancel: post('workflows/:id/executions/:executionId/cancel', executions.cancel, 'Cancel an execution', {
    ...ofExecution,
    waits: untilQuiet,
    errors: [executionEnded],
  }),
  retry: post(
    'workflows/:id/executions/:executionId/retry',
    executions.retry,
    'Continue a failed execution at the step that failed',
    { ...ofExecution, errors: [executionNotFailed, contactIsInside] },
  ),
  skipWait: post(
    'workflows/:id/executions/:executionId/skip-wait',
    executions.skipWait,
    'End the wait of an execution now',
    { ...ofExecution, errors: [executionNotWaiting] },
  ),
  stats: get(
    'workflows/:id/stats',
    executions.stats,
    'Count the executions of a workflow by status and the visits of its steps',
  ),
});

/** Up to a thousand contacts, or mails of several hundred steps. */
const rehearsing = { timeoutMs: 25_000 };

export const simulationRoutes = routes('simulations', common, {
  run: post(
    'workflows/:id/simulate',
    simulations.run,
    'Rehearse a workflow for a contact on a virtual clock; nothing is sent, called or changed',
    { waits: rehearsing },
  ),
  audience: post(
    'workflows/:id/simulate-audience',
    simulations.audience,
    'Rehearse a workflow for a sample of contacts: shares of branches and mails a day',
    { mayBeEmpty: true, waits: rehearsing },
  ),
});

import { newId, type Database } from '@posthorn/database';
import type { WorkflowGraph, WorkflowStep } from '@posthorn/contracts';
import { givenGraph } from '../../graphs/new-graph.js';
import { graphSql, GraphsRepository } from '../../graphs/graphs.repository.js';
import { WorkflowRow } from '../../workflows/workflow.entity.js';
import type { Scenario } from './scenario.js';

export interface Installed {
  workflowId: string;
  scenario: Scenario;
}

/** Ids of steps are unique in one workflow only, so these are the same in each. */
export const idOfStep = (scenario: Scenario, name: string): string =>
  idOf(scenario.steps.findIndex((step) => step.name === name));

export const stepOfId = ({ steps }: Scenario, id: string) => steps[Number(id.slice(-4))]!;

const idOf = (index: number): string => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

export function graphOf(scenario: Scenario): Pick<WorkflowGraph, 'steps' | 'transitions'> {
  return {
    steps: scenario.steps.map((step): WorkflowStep => ({
      ...step,
      id: idOfStep(scenario, step.name),
      position: { x: 0, y: 0 },
      templateId: null,
    })),
    transitions: scenario.ways.map(({ from, to, branch, priority }, index) => ({
      id: idOf(index),
      fromStepId: idOfStep(scenario, from),
      toStepId: idOfStep(scenario, to),
      priority,
      condition: branch === null ? null : JSON.stringify({ branch }),
    })),
  };
}

const graphsAtOnce = 100;

/** Enabled, as if each had been created and resumed by a call of its own. */
export async function install(
  database: Database,
  projectId: string,
  scenarios: readonly Scenario[],
): Promise<Installed[]> {
  const installed = scenarios.map((scenario) => ({ workflowId: newId(), scenario }));
  for (let from = 0; from < installed.length; from += graphsAtOnce)
    await add(database, projectId, installed.slice(from, from + graphsAtOnce));
  return installed;
}

async function add(database: Database, projectId: string, installed: readonly Installed[]): Promise<void> {
  await database.manager.insert(
    WorkflowRow,
    installed.map(({ workflowId, scenario }) => rowOf(projectId, workflowId, scenario)),
  );
  const graphs = installed.map(({ workflowId, scenario }) =>
    givenGraph({ projectId, id: workflowId }, graphOf(scenario)),
  );
  await new GraphsRepository(database).add({
    steps: graphs.flatMap(({ steps }) => steps),
    transitions: graphs.flatMap(({ transitions }) => transitions),
  });
  await database.query(
    `INSERT INTO workflow_versions (project_id, workflow_id, version, graph)
     SELECT w.project_id, w.id, w.version, ${graphSql} FROM workflows w WHERE w.project_id = $1 AND w.id = ANY ($2::uuid[])`,
    [projectId, installed.map(({ workflowId }) => workflowId)],
  );
}

const rowOf = (projectId: string, id: string, { name, goal, steps }: Scenario) => ({
  projectId,
  id,
  name,
  description: null,
  enabled: true,
  allowReentry: false,
  maxExecutionsPerHour: null,
  triggerType: 'MANUAL' as const,
  eventName: null,
  intervalMs: null,
  segmentId: null,
  pausedAt: null,
  exitWhen: goal as never,
  version: 1,
  generation: 1,
  seq: 1,
  stepCount: steps.length,
  createdAt: new Date(),
  updatedAt: new Date(),
});

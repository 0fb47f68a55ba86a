import { newId } from '@posthorn/database';
import type { GivenGraph } from '@posthorn/contracts';
import { StepRow, TransitionRow, type Graph } from './graph.entity.js';

interface Owner {
  projectId: string;
  id: string;
}

export function triggerOnly({ projectId, id: workflowId }: Owner): Graph {
  const trigger = { projectId, workflowId, id: newId(), index: 0, name: 'Trigger', type: 'TRIGGER' as const };
  return {
    steps: [Object.assign(new StepRow(), { ...trigger, position: { x: 0, y: 0 }, config: {} })],
    transitions: [],
  };
}

/** As Postgres writes ids, so that they can be compared. */
export function withStoredIds<Given extends Pick<GivenGraph, 'steps' | 'transitions'>>(graph: Given): Given {
  return {
    ...graph,
    steps: graph.steps.map((step) => ({ ...step, id: step.id.toLowerCase() })),
    transitions: graph.transitions.map((transition) => ({
      ...transition,
      id: transition.id.toLowerCase(),
      fromStepId: transition.fromStepId.toLowerCase(),
      toStepId: transition.toStepId.toLowerCase(),
    })),
  };
}

/** What was put, in its order. */
export function givenGraph(
  { projectId, id: workflowId }: Owner,
  { steps, transitions }: Pick<GivenGraph, 'steps' | 'transitions'>,
): Graph {
  const owned = { projectId, workflowId };
  return {
    steps: steps.map(({ id, name, type, position, config }, index) =>
      Object.assign(new StepRow(), { ...owned, id, index, name, type, position, config }),
    ),
    transitions: transitions.map(({ condition, ...transition }, index) =>
      Object.assign(new TransitionRow(), {
        ...owned,
        ...transition,
        index,
        condition: condition === null ? null : (JSON.parse(condition) as Record<string, unknown>),
      }),
    ),
  };
}

export function copyOf({ steps, transitions }: Graph, { projectId, id: workflowId }: Owner): Graph {
  const newIds = new Map(steps.map(({ id }) => [id, newId()]));
  const owned = { projectId, workflowId };
  return {
    steps: steps.map((step) => Object.assign(new StepRow(), { ...step, ...owned, id: newIds.get(step.id)! })),
    transitions: transitions.map((transition) =>
      Object.assign(new TransitionRow(), {
        ...transition,
        ...owned,
        id: newId(),
        fromStepId: newIds.get(transition.fromStepId)!,
        toStepId: newIds.get(transition.toStepId)!,
      }),
    ),
  };
}

import { newId } from '@posthorn/database';
import { StepRow, TransitionRow, type Graph } from './graph.entity.js';

interface Owner {
  projectId: string;
  id: string;
}

/** What every workflow begins with: its trigger, and nothing after it. */
export function triggerOnly({ projectId, id: workflowId }: Owner): Graph {
  const trigger = { projectId, workflowId, id: newId(), place: 0, name: 'Trigger', type: 'TRIGGER' as const };
  return {
    steps: [Object.assign(new StepRow(), { ...trigger, position: { x: 0, y: 0 }, config: {} })],
    transitions: [],
  };
}

/** The same graph for another workflow, every id a fresh one. */
export function copyOf({ steps, transitions }: Graph, { projectId, id: workflowId }: Owner): Graph {
  const fresh = new Map(steps.map(({ id }) => [id, newId()]));
  const owned = { projectId, workflowId };
  return {
    steps: steps.map((step) => Object.assign(new StepRow(), { ...step, ...owned, id: fresh.get(step.id)! })),
    transitions: transitions.map((transition) =>
      Object.assign(new TransitionRow(), {
        ...transition,
        ...owned,
        id: newId(),
        fromStepId: fresh.get(transition.fromStepId)!,
        toStepId: fresh.get(transition.toStepId)!,
      }),
    ),
  };
}

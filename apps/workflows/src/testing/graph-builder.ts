import type { GivenGraph, StepType } from '@posthorn/contracts';
import { newId } from '@posthorn/database';

export interface BuiltStep {
  type: StepType;
  config?: Record<string, unknown>;
  /** Names of the next steps: by branch, or one for all. */
  next?: string | Record<string, string>;
}

export interface BuiltGraph extends GivenGraph {
  idOf(name: string): string;
}

/** A graph from steps by name; `trigger` is added, and leads to the first. */
export function buildGraph(steps: Record<string, BuiltStep>): BuiltGraph {
  const [first] = Object.keys(steps);
  const all: Record<string, BuiltStep> = { trigger: { type: 'TRIGGER', next: first }, ...steps };
  const ids = new Map(Object.keys(all).map((name) => [name, newId()]));
  const idOf = (name: string): string => ids.get(name)!;
  return {
    idOf,
    steps: Object.entries(all).map(([name, { type, config = {} }]) => ({
      id: idOf(name),
      name,
      type,
      config,
      position: { x: 0, y: 0 },
    })),
    transitions: Object.entries(all).flatMap(([name, { next }]) => {
      const ways = typeof next === 'string' ? { '': next } : (next ?? {});
      return Object.entries(ways).map(([branch, to]) => ({
        id: newId(),
        fromStepId: idOf(name),
        toStepId: idOf(to),
        condition: branch === '' ? null : JSON.stringify({ branch }),
        priority: 0,
      }));
    }),
  };
}

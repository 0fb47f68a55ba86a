import type { GivenGraph, StepType } from '@posthorn/contracts';

const waits: ReadonlySet<StepType> = new Set(['DELAY', 'WAIT_FOR_EVENT']);

/** Indexes of transitions that close a loop in which no step waits: an execution would turn in it without end. */
export function loopsOf({ steps, transitions }: Pick<GivenGraph, 'steps' | 'transitions'>): number[] {
  const waiting = new Set(steps.filter(({ type }) => waits.has(type)).map(({ id }) => id));
  const following = new Map<string, { to: string; index: number }[]>();
  for (const [index, { fromStepId, toStepId }] of transitions.entries()) {
    // A loop through a step that waits is one in which time passes.
    if (waiting.has(fromStepId) || waiting.has(toStepId) || fromStepId === toStepId) continue;
    const edges = following.get(fromStepId) ?? [];
    edges.push({ to: toStepId, index });
    following.set(fromStepId, edges);
  }
  const closing: number[] = [];
  const states = new Map<string, 'open' | 'done'>();
  for (const { id } of steps) visit(id);
  return closing.toSorted((a, b) => a - b);

  /** At most 200 steps deep. */
  function visit(id: string): void {
    if (states.has(id)) return;
    states.set(id, 'open');
    for (const { to, index } of following.get(id) ?? []) {
      if (states.get(to) === 'open') closing.push(index);
      else visit(to);
    }
    states.set(id, 'done');
  }
}

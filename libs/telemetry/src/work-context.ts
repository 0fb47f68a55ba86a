import { AsyncLocalStorage } from 'node:async_hooks';
import { maxTraces, writeTraces } from './trace-point.js';
import type { WorkContext } from './tracing.js';

const contexts = new AsyncLocalStorage<WorkContext | undefined>();

export const currentContext = (): WorkContext | undefined => contexts.getStore();

/** Checked first where computing a span name is expensive. */
export const isRecorded = (): boolean => (contexts.getStore()?.traces.length ?? 0) > 0;

export function runInContext<T>(context: WorkContext | undefined, work: () => T): T {
  return contexts.run(context, work);
}

export function currentTraces(): string | null {
  const context = contexts.getStore();
  return context === undefined ? null : writeTraces(context.traces);
}

export function joinContexts(joined: readonly (WorkContext | undefined)[]): WorkContext | undefined {
  const present = joined.filter((context) => context !== undefined);
  if (present.length <= 1) return present[0];
  return {
    tracing: present[0]!.tracing,
    traces: present.flatMap(({ traces }) => traces).slice(0, maxTraces),
    requestIds: present.flatMap(({ requestIds }) => requestIds),
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { maxTraces, writeTraces, type TracePoint } from './trace-point.js';
import type { Tracing } from './tracing.js';

/** For whom the present work is done: what its log lines name, and where its spans hang. */
export interface WorkContext {
  /** Of the service that does the work. */
  tracing: Tracing;
  /** Several where a batch joins many; none where nothing is recorded. */
  traces: readonly TracePoint[];
  requestIds: readonly string[];
}

const contexts = new AsyncLocalStorage<WorkContext | undefined>();

export const currentContext = (): WorkContext | undefined => contexts.getStore();

/** Whether somebody records what is done now: where a span's name takes work, it is asked first. */
export const isRecorded = (): boolean => (contexts.getStore()?.traces.length ?? 0) > 0;

/** Runs `work` for this scene; for nobody where there is none. */
export function runInContext<T>(context: WorkContext | undefined, work: () => T): T {
  return contexts.run(context, work);
}

/** The traces that the present work belongs to, to be written down for whoever goes on with it. */
export function currentTraces(): string | null {
  const context = contexts.getStore();
  return context === undefined ? null : writeTraces(context.traces);
}

/** The scene of what is done for several at once. */
export function joinContexts(joined: readonly (WorkContext | undefined)[]): WorkContext | undefined {
  const present = joined.filter((context) => context !== undefined);
  if (present.length <= 1) return present[0];
  return {
    tracing: present[0]!.tracing,
    traces: present.flatMap(({ traces }) => traces).slice(0, maxTraces),
    requestIds: present.flatMap(({ requestIds }) => requestIds),
  };
}

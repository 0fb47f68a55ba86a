import { AsyncLocalStorage } from 'node:async_hooks';
import { maxTraces, writeTraces, type TracePoint } from './trace-point.js';
import type { Tracing } from './tracing.js';

/** For whom the present work is done: what its log lines name, and where its spans hang. */
export interface Scene {
  /** Of the service that does the work. */
  tracing: Tracing;
  /** Several where a batch joins many; none where nothing is recorded. */
  traces: readonly TracePoint[];
  requestIds: readonly string[];
}

const scenes = new AsyncLocalStorage<Scene | undefined>();

export const currentScene = (): Scene | undefined => scenes.getStore();

/** Whether somebody records what is done now: where a span's name takes work, it is asked first. */
export const isRecorded = (): boolean => (scenes.getStore()?.traces.length ?? 0) > 0;

/** Runs `work` for this scene; for nobody where there is none. */
export function runInScene<T>(scene: Scene | undefined, work: () => T): T {
  return scenes.run(scene, work);
}

/** The traces that the present work belongs to, to be written down for whoever goes on with it. */
export function currentTraces(): string | null {
  const scene = scenes.getStore();
  return scene === undefined ? null : writeTraces(scene.traces);
}

/** The scene of what is done for several at once. */
export function joinScenes(joined: readonly (Scene | undefined)[]): Scene | undefined {
  const present = joined.filter((scene) => scene !== undefined);
  if (present.length <= 1) return present[0];
  return {
    tracing: present[0]!.tracing,
    traces: present.flatMap(({ traces }) => traces).slice(0, maxTraces),
    requestIds: present.flatMap(({ requestIds }) => requestIds),
  };
}

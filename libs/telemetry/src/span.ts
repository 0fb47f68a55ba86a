import { currentScene, runInScene, type Scene } from './scene.js';
import { readTraces, writeTraceparent } from './trace-point.js';
import type { Attributes, OpenSpan, SpanOptions, Tracing } from './tracing.js';

/** Runs `work` as a span of the present scene; just runs it where nothing is recorded. */
export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const scene = currentScene();
  return scene && scene.traces.length > 0 ? recorded(scene, name, options, work) : work();
}

/** Runs `work` for several scenes at once, each with a span of its own around it; `inner` are the scenes within. */
export async function inSpans<T>(
  name: string,
  options: SpanOptions,
  scenes: readonly (Scene | undefined)[],
  work: (inner: readonly (Scene | undefined)[]) => Promise<T>,
): Promise<T> {
  const traced = scenes.filter((scene) => scene !== undefined && scene.traces.length > 0) as Scene[];
  if (traced.length === 0) return work(scenes);
  const parents = traced.flatMap(({ traces }) => traces);
  const spans = traced[0]!.tracing.spans(name, options, parents);
  let place = 0;
  const inner = scenes.map((scene) => scene && { ...scene, traces: scene.traces.map(() => spans[place++]!.point) });
  return until(spans, work(inner));
}

interface SpannedOptions<Args extends unknown[], Result> extends SpanOptions {
  /** Where the method begins work that others left: the traces that it came with, as they were written down. */
  traces?: (...args: Args) => readonly (string | null)[];
  told?: (result: Result) => Attributes;
}

/** Who begins scenes says whose tracing it is. */
interface Traced {
  readonly tracing: Tracing;
}

/** The method is a span, in the traces that it is called in or that its arguments carry. */
export function Spanned<Args extends unknown[], Result>(name: string, options: SpannedOptions<Args, Result> = {}) {
  type Method = (...args: Args) => Promise<Result>;
  const { traces, told, ...spanOptions } = options;
  return (_target: object, _property: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    const method = descriptor.value!;
    descriptor.value = function (this: object, ...args: Args) {
      const scene = traces ? sceneOf(this as Traced, traces(...args)) : currentScene();
      const work = () => method.apply(this, args);
      if (scene && scene.traces.length > 0) return recorded(scene, name, spanOptions, work, told);
      return traces ? runInScene(scene, work) : work();
    };
  };
}

/** The method finds work that belongs to traces: it is told of afterwards, and what it found hangs below it. */
export function SpannedFind<Args extends unknown[], Found extends { trace: string | null }>(name: string, options: SpanOptions = {}) {
  type Method = (...args: Args) => Promise<Found[]>;
  return (_target: object, _property: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    const method = descriptor.value!;
    descriptor.value = async function (this: object, ...args: Args) {
      const { tracing } = this as Traced;
      if (!tracing.recording) return method.apply(this, args);
      const startedAt = Date.now();
      const found = await method.apply(this, args);
      const traced = found.flatMap((item) =>
        readTraces(item.trace)
          .slice(0, 1)
          .map((point) => ({ item, point })),
      );
      const about = { ...options, startedAt, attributes: { 'posthorn.batch.size': found.length } };
      const spans = tracing.spans(
        name,
        about,
        traced.map(({ point }) => point),
      );
      spans.forEach((span, place) => {
        traced[place]!.item.trace = writeTraceparent(span.point);
        span.end();
      });
      return found;
    };
  };
}

function sceneOf({ tracing }: Traced, traces: readonly (string | null)[]): Scene | undefined {
  return tracing.recording ? tracing.scene(traces.flatMap(readTraces)) : undefined;
}

function recorded<T>(
  scene: Scene,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  told?: (result: T) => Attributes,
): Promise<T> {
  const spans = scene.tracing.spans(name, options, scene.traces);
  const inner = { ...scene, traces: spans.map(({ point }) => point) };
  return until(spans, runInScene(inner, work), told);
}

async function until<T>(spans: readonly OpenSpan[], work: Promise<T>, told?: (result: T) => Attributes): Promise<T> {
  try {
    const result = await work;
    if (told) for (const span of spans) span.add(told(result));
    return result;
  } catch (error) {
    for (const span of spans) span.fail(error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

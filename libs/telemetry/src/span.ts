import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkContext, Attributes, OpenSpan, SpanOptions, Tracing } from './tracing.js';
import { readTraces, writeTraceparent, maxTraces, writeTraces } from './trace-point.js';

export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const context = currentContext();
  return context && context.traces.length > 0 ? recorded(context, name, options, work) : work();
}

/** A span for each of several contexts; `inner` are the contexts inside those spans. */
export async function inSpans<T>(
  name: string,
  options: SpanOptions,
  contexts: readonly (WorkContext | undefined)[],
  work: (inner: readonly (WorkContext | undefined)[]) => Promise<T>,
): Promise<T> {
  const traced = contexts.filter(
    (context) => context !== undefined && context.traces.length > 0,
  ) as WorkContext[];
  if (traced.length === 0) return work(contexts);
  const parents = traced.flatMap(({ traces }) => traces);
  const spans = traced[0]!.tracing.spans(name, options, parents);
  let index = 0;
  const inner = contexts.map(
    (context) => context && { ...context, traces: context.traces.map(() => spans[index++]!.point) },
  );
  return until(spans, work(inner));
}

interface SpannedOptions<Args extends unknown[], Result> extends SpanOptions {
  traces?: (...args: Args) => readonly (string | null)[];
  resultAttributes?: (result: Result) => Attributes;
}

interface Traced {
  readonly tracing: Tracing;
}

export function Spanned<Args extends unknown[], Result>(
  name: string,
  options: SpannedOptions<Args, Result> = {},
) {
  type Method = (...args: Args) => Promise<Result>;
  const { traces, resultAttributes, ...spanOptions } = options;
  return (_target: object, _property: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    const method = descriptor.value!;
    descriptor.value = function (this: object, ...args: Args) {
      const context = traces ? contextOf(this as Traced, traces(...args)) : currentContext();
      const work = () => method.apply(this, args);
      if (context && context.traces.length > 0)
        return recorded(context, name, spanOptions, work, resultAttributes);
      return traces ? runInContext(context, work) : work();
    };
  };
}

/** For a method that finds work of existing traces: the found work continues below its span. */
export function SpanAfterwards<Args extends unknown[], Found extends { trace: string | null }>(
  name: string,
  options: SpanOptions = {},
) {
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
      spans.forEach((span, index) => {
        traced[index]!.item.trace = writeTraceparent(span.point);
        span.end();
      });
      return found;
    };
  };
}

function contextOf({ tracing }: Traced, traces: readonly (string | null)[]): WorkContext | undefined {
  return tracing.recording ? tracing.context(traces.flatMap(readTraces)) : undefined;
}

function recorded<T>(
  context: WorkContext,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  resultAttributes?: (result: T) => Attributes,
): Promise<T> {
  const spans = context.tracing.spans(name, options, context.traces);
  const inner = { ...context, traces: spans.map(({ point }) => point) };
  return until(spans, runInContext(inner, work), resultAttributes);
}

async function until<T>(
  spans: readonly OpenSpan[],
  work: Promise<T>,
  resultAttributes?: (result: T) => Attributes,
): Promise<T> {
  try {
    const result = await work;
    if (resultAttributes) for (const span of spans) span.add(resultAttributes(result));
    return result;
  } catch (error) {
    for (const span of spans) span.fail(error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

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

import {
  ROOT_CONTEXT,
  SpanKind as ApiKind,
  SpanStatusCode,
  TraceFlags,
  context,
  logs,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { ClientTrace, TracePoint } from './trace-point.js';
import type { TracingOptions } from './open-tracing.js';
import type { OpenSpan, SpanKind, SpanOptions, SpanRecorder } from './tracing.js';

/** An SDK for each service, also where several share a process: each has a resource of its own. */
export async function openRecorder(options: TracingOptions & { endpoint: string }): Promise<SpanRecorder> {
  const name = {
    'service.name': `posthorn-${options.service}`,
    'service.instance.id': `${options.service}-${process.pid}`,
  };
  const times = { scheduledDelayMillis: exportEveryMs, exportTimeoutMillis: giveUpAfterMs };
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes(name)),
    autoDetectResources: false,
    sampler: samplerOf(options),
    spanProcessors: [new BatchSpanProcessor({ exporter: await exporterOf(options), ...times })],
    // Metrics are scraped and logs go to the standard output: without these the SDK would export both from its defaults.
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  // The last spans may be lost as any others are: a service whose collector is away still ends well.
  return recorderOn(tracerOf(sdk), () => sdk.shutdown().catch(() => undefined));
}

/** Starting an SDK registers it for the whole process; the next service of the process could not register its own. */
function tracerOf(sdk: NodeSDK): Tracer {
  sdk.start();
  const tracer = trace.getTracer('posthorn');
  for (const registered of [trace, context, logs]) registered.disable();
  return tracer;
}

const exportEveryMs = 1_000;
/** A stop waits for the last batches no longer than this. */
const giveUpAfterMs = 2_000;

async function exporterOf({
  endpoint,
  protocol,
}: {
  endpoint: string;
  protocol: string;
}): Promise<SpanExporter> {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, timeoutMillis: giveUpAfterMs });
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  const [name, basedOnParent] = sampler.startsWith('parentbased_')
    ? [sampler.slice(12), true]
    : [sampler, false];
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return basedOnParent ? new ParentBasedSampler({ root }) : root;
}

const kinds: Record<SpanKind, ApiKind> = {
  internal: ApiKind.INTERNAL,
  server: ApiKind.SERVER,
  client: ApiKind.CLIENT,
  producer: ApiKind.PRODUCER,
  consumer: ApiKind.CONSUMER,
};

function recorderOn(tracer: Tracer, close: () => Promise<void>): SpanRecorder {
  const start = (
    name: string,
    { kind = 'internal', attributes, startedAt }: SpanOptions,
    links: Link[],
    parent: Context,
  ): OpenSpan | null => {
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes, startTime: startedAt, links },
      parent,
    );
    return span.isRecording() ? openSpan(span) : null;
  };
  return {
    root: (name, { parent, link, ...options }) =>
      start(
        name,
        options,
        link ? [{ context: contextOf(link) }] : [],
        parent ? below(contextOf(parent)) : ROOT_CONTEXT,
      ),
    // A recorded parent may be of a process whose sampler knows better than ours: its decision holds for the whole trace.
    child: (parent, name, options, links) =>
      start(
        name,
        options,
        links.map((link) => ({ context: contextOf(link) })),
        below(contextOf(parent)),
      ) ?? unrecorded(parent),
    close,
  };
}

const below = (context: SpanContext): Context => trace.setSpanContext(ROOT_CONTEXT, context);

function contextOf({ traceId, spanId, ...rest }: TracePoint | ClientTrace): SpanContext {
  const sampled = !('sampled' in rest) || rest.sampled;
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    point: { traceId, spanId },
    add: (attributes) => void span.setAttributes(attributes),
    fail: (error) => {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', kindOf(error));
    },
    end: () => span.end(),
  };
}

/** Where our own sampler does not follow its parent, the trace goes on past this service. */
const unrecorded = (point: TracePoint): OpenSpan => ({
  point,
  add: () => undefined,
  fail: () => undefined,
  end: () => undefined,
});

function kindOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
}

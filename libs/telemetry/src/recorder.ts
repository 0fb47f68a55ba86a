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
import type { OpenSpan, SpanKind, SpanOptions, SpanRecorder } from './tracing.js';

export interface TracingOptions {
  endpoint?: string;
  protocol: string;
  sampler: string;
  ratio: number;
  service: string;
}

/** One SDK per service, because each has its own resource, even when they share a process. */
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
    // Metrics are scraped and logs go to standard output; by default the SDK would export both.
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  // Losing the last spans must not make the shutdown fail.
  return recorderOn(tracerOf(sdk), () => sdk.shutdown().catch(() => undefined));
}

/** Starting an SDK registers it globally, which only one service of a process could do. */
function tracerOf(sdk: NodeSDK): Tracer {
  sdk.start();
  const tracer = trace.getTracer('posthorn');
  for (const registered of [trace, context, logs]) registered.disable();
  return tracer;
}

const exportEveryMs = 1_000;
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
    // The sampling decision of a recorded parent applies to the whole trace.
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

/** If our sampler drops the span, the trace still continues in later services. */
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

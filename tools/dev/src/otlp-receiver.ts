import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the receiver keeps it. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
}

export interface OtlpServer {
  endpoint: string;
  /** Its process may end while it listens. */
  unref(): void;
  close(): Promise<void>;
}

export interface OtlpReceiver extends OtlpServer {
  spans: readonly ReceivedSpan[];
  /** The same and whatever was told beside it, as it came over the wire. */
  bodies: readonly string[];
}

interface OtlpValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
}

type OtlpAttributes = { key: string; value: OtlpValue }[];

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: OtlpAttributes;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** What an OpenTelemetry collector is to the services: OTLP over HTTP, as JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = await startOtlpServer((body) => {
    bodies.push(body);
    spans.push(...spansOf(JSON.parse(body) as OtlpRequest));
  });
  return { ...server, spans, bodies };
}

/** Keeps nothing itself: each body, of one line, is given as it came, before its sender is answered. */
export async function startOtlpServer(take: (body: string) => void): Promise<OtlpServer> {
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        take(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      },
      // Who is killed in the middle of a body has not said it.
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unref: () => server.unref().on('connection', (socket) => socket.unref()),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function spansOf({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => received(service, span)));
  });
}

function received(service: string, span: OtlpSpan): ReceivedSpan {
  const {
    traceId,
    spanId,
    name,
    startTimeUnixNano,
    endTimeUnixNano,
    attributes = [],
    links = [],
    status,
  } = span;
  return {
    service,
    traceId,
    spanId,
    parentSpanId: span.parentSpanId || undefined,
    name,
    startedAt: Number(BigInt(startTimeUnixNano) / 1_000n) / 1_000,
    durationMs: Number((BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1_000n) / 1_000,
    attributes: valuesOf(attributes),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    failed: status?.code === 2,
  };
}

function valuesOf(attributes: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}

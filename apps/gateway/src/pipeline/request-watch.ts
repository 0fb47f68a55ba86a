import { BlockList } from 'node:net';
import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import {
  Metrics,
  readTraceparent,
  runInContext,
  Tracing,
  type OpenSpan,
  type TracePoint,
} from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import { requestDuration } from '../wire/edge.metrics.js';
import type { Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import type { Route } from '../routes/route-table.js';

const noRoute = '(no route)';
const unrecorded: readonly TracePoint[] = [];

@Injectable()
export class RequestWatch {
  private readonly trusted: BlockList;
  private readonly duration;

  constructor(
    config: GatewayConfig,
    private readonly tracing: Tracing,
    metrics: Metrics,
  ) {
    this.duration = metrics.histogram(requestDuration);
    this.trusted = rangesOf(config.trustedRanges);
  }

  attach(fastify: Fastify): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const requestId = newId();
      const span = this.tracing.recording ? this.record(request, reply, requestId) : null;
      runInContext(
        { tracing: this.tracing, traces: span ? [span.point] : unrecorded, requestIds: [requestId] },
        done,
      );
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.count(request, reply);
      done();
    });
  }

  private count({ method, routeOptions }: HttpRequest, { statusCode, elapsedTime }: HttpReply): void {
    const { declared } = routeOptions.config as { declared?: Route };
    // Unknown paths share one label, or clients could create metrics without limit.
    const labels = {
      method: declared?.method ?? knownMethod(method),
      route: routeOptions.url ?? noRoute,
      surface: declared?.surface ?? 'none',
    };
    this.duration.observe({ ...labels, status: String(statusCode) }, elapsedTime / 1_000);
  }

  private record(request: HttpRequest, reply: HttpReply, requestId: string): OpenSpan | null {
    const client = readTraceparent(request.headers['traceparent'] as string | undefined);
    const route = request.routeOptions.url ?? noRoute;
    const span = this.tracing.root(
      `${request.method} ${route}`,
      { kind: 'server' },
      client,
      client !== null && this.isTrusted(request),
    );
    if (!span) return null;
    span.add({
      'http.request.method': request.method,
      'http.route': route,
      'posthorn.request_id': requestId,
    });
    // Emitted even if the client disconnected before the response.
    reply.raw.once('close', () => {
      const status = reply.raw.statusCode;
      span.add({ 'http.response.status_code': status });
      if (status >= 500) span.fail({ name: String(status) });
      span.end();
    });
    return span;
  }

  /** Clients whose sampling decision is honoured; otherwise anybody could flood the trace store. */
  private isTrusted({ raw }: HttpRequest): boolean {
    const { remoteAddress, remoteFamily } = raw.socket;
    return (
      remoteAddress !== undefined &&
      this.trusted.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4')
    );
  }
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const knownMethod = (method: string): string => (knownMethods.has(method) ? method : 'other');

function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, prefix] = range.split('/');
    const family = address!.includes(':') ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address!, family);
    else list.addSubnet(address!, Number(prefix), family);
  }
  return list;
}

import { BlockList } from 'node:net';
import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { readTraceparent, runInScene, Tracing, type OpenSpan, type TracePoint } from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import type { Fastify, HttpReply, HttpRequest } from './fastify.js';

const unrecorded: readonly TracePoint[] = [];

/** Every request has an id, and a share of them is recorded: the first thing that happens to it, and the last. */
@Injectable()
export class RequestWatch {
  private readonly trusted: BlockList;

  constructor(
    config: GatewayConfig,
    private readonly tracing: Tracing,
  ) {
    this.trusted = rangesOf(config.trustedRanges);
  }

  attach(fastify: Fastify): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const requestId = newId();
      const span = this.tracing.recording ? this.record(request, reply, requestId) : null;
      runInScene({ tracing: this.tracing, traces: span ? [span.point] : unrecorded, requestIds: [requestId] }, done);
    });
  }

  private record(request: HttpRequest, reply: HttpReply, requestId: string): OpenSpan | null {
    const client = readTraceparent(request.headers['traceparent'] as string | undefined);
    const route = request.routeOptions.url ?? '(no route)';
    const span = this.tracing.root(`${request.method} ${route}`, { kind: 'server' }, client, client !== null && this.isTrusted(request));
    if (!span) return null;
    span.add({ 'http.request.method': request.method, 'http.route': route, 'posthorn.request_id': requestId });
    // Also where the client has gone away before its answer.
    reply.raw.once('close', () => {
      const status = reply.raw.statusCode;
      span.add({ 'http.response.status_code': status });
      if (status >= 500) span.fail({ name: String(status) });
      span.end();
    });
    return span;
  }

  /** Whose decision to record counts: a stranger's would let anybody fill the disk of whoever keeps the traces. */
  private isTrusted({ raw }: HttpRequest): boolean {
    const { remoteAddress, remoteFamily } = raw.socket;
    return remoteAddress !== undefined && this.trusted.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
  }
}

/** Addresses and CIDR ranges. */
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

import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { Guard } from '../identity/guard.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { CsvTable } from '../wire/bodies/csv.js';
import type { HttpReply } from '../wire/fastify.js';
import { EventStream, wantsEvents } from '../routes/event-stream.js';
import { LiveStream } from '../routes/live-stream.js';
import { headerValues } from '../wire/headers.js';
import { asJson, routeRequestOf, handle, queryOf, refuseBody, type Exchange } from './exchange.js';
import { StreamedResource } from '../routes/streamed.js';

/** Of one project, in one process: each stream polls the service that owns its resource. */
export const maxOpenStreams = 20;
const retryAfterSeconds = 5;

const tooManyStreams = () =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `At most ${maxOpenStreams} event streams of a project may be open at once; close some, or repeat the request in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );

@Injectable()
export class OpenStreams {
  private readonly counts = new Map<string, number>();

  open(projectId: string): () => void {
    const count = (this.counts.get(projectId) ?? 0) + 1;
    if (count > maxOpenStreams) throw tooManyStreams();
    this.counts.set(projectId, count);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.counts.get(projectId)! - 1;
      if (left === 0) this.counts.delete(projectId);
      else this.counts.set(projectId, left);
    };
  }
}

@Injectable()
export class StreamResponder {
  constructor(
    private readonly bodies: BodyReader,
    private readonly guard: Guard,
    private readonly openStreams: OpenStreams,
  ) {}

  async serve(exchange: Exchange<'stream'>): Promise<string | Readable> {
    const { declaration, dialect, request, reply } = exchange;
    await refuseBody(exchange, this.bodies);
    const { filters } = queryOf(exchange);
    if (declaration.streamed === 'live') return this.streamLive(exchange, filters);
    if (declaration.streamed === 'events' && wantsEvents(request.raw))
      return this.streamEvents(exchange, filters);
    const result = await handle(exchange, routeRequestOf(exchange, { query: filters }));
    const write = (value: object): object => dialect.resource(declaration.reply, value);
    if (result instanceof CsvTable) return asCsv(reply, result);
    if (!(result instanceof StreamedResource)) return asJson(reply, write(result));
    reply.header('content-type', 'application/json; charset=utf-8');
    return result.stream(write);
  }

  private async streamLive(exchange: Exchange<'stream'>, query: object): Promise<string | Readable> {
    const { route, request, reply } = exchange;
    const { rawHeaders } = request.raw;
    const lastEventId = headerValues(rawHeaders, 'last-event-id').at(-1)?.trim() || undefined;
    const result = await handle(
      exchange,
      routeRequestOf(exchange, { query, wantsEvents: true, lastEventId }),
    );
    if (!(result instanceof LiveStream)) throw new Error(`${route.path} answers no live stream`);
    reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    if (request.method === 'HEAD') return '';
    const credential = ['authorization', 'cookie', 'x-project-id']
      .map((name) => headerValues(rawHeaders, name).join())
      .join('\n');
    return result.open({ credential, admit: () => this.guard.admit(route, request) });
  }

  private async streamEvents(exchange: Exchange<'stream'>, query: object): Promise<Readable> {
    const { route, declaration, dialect, request, reply, admission } = exchange;
    const write = (value: object): object => dialect.resource(declaration.reply, value);
    const close = this.openStreams.open(admission.caller.projectId);
    try {
      const result = await handle(exchange, routeRequestOf(exchange, { query, wantsEvents: true }));
      if (!(result instanceof EventStream)) throw new Error(`${route.path} answers no event stream`);
      reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
      return result.stream(write, () => this.guard.admit(route, request)).once('close', close);
    } catch (error) {
      close();
      throw error;
    }
  }
}

export function asCsv(reply: HttpReply, table: CsvTable): Readable {
  reply.header('content-type', 'text/csv; charset=utf-8');
  return table.stream();
}

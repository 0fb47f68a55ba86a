import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BodyReader } from '../bodies/body-reader.js';
import { CsvTable } from '../bodies/csv.js';
import type { HttpReply } from '../http/fastify.js';
import { EventStream, wantsEvents } from './event-stream.js';
import { asJson, callOf, handle, queryOf, refuseBody, type Exchange } from './exchange.js';
import { StreamedResource } from './streamed.js';

@Injectable()
export class StreamServer {
  constructor(private readonly bodies: BodyReader) {}

  async serve(exchange: Exchange<'stream'>): Promise<string | Readable> {
    const { declaration, dialect, request, reply } = exchange;
    await refuseBody(exchange, this.bodies);
    const { filters } = queryOf(exchange);
    const follows = declaration.streamed === 'events' && wantsEvents(request.raw);
    const result = await handle(exchange, callOf(exchange, { query: filters, wantsEvents: follows }));
    const write = (value: object): object => dialect.resource(declaration.reply, value);
    if (result instanceof CsvTable) return tableOf(reply, result);
    if (result instanceof EventStream) {
      reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
      return result.stream(write);
    }
    if (!(result instanceof StreamedResource)) return asJson(reply, write(result));
    reply.header('content-type', 'application/json; charset=utf-8');
    return result.stream(write);
  }
}

export function tableOf(reply: HttpReply, table: CsvTable): Readable {
  reply.header('content-type', 'text/csv; charset=utf-8');
  return table.stream();
}

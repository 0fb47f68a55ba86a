import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { PageQuery } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import type { DomainPage } from '../dialects/dialect.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { CsvTable, wantsCsv } from '../wire/bodies/csv.js';
import { Cursors, type CursorScope } from './cursor.js';
import { asJson, routeRequestOf, handle, queryOf, refuseBody, type Exchange } from './exchange.js';
import { asCsv } from './stream-responder.js';

@Injectable()
export class ListResponder {
  private readonly cursors: Cursors;

  constructor(
    private readonly bodies: BodyReader,
    config: GatewayConfig,
  ) {
    this.cursors = new Cursors(config.secretKey);
  }

  async serve(exchange: Exchange<'list'>): Promise<string | Readable> {
    const { declaration, dialect, request, reply } = exchange;
    await refuseBody(exchange, this.bodies);
    const { filters, limit, cursor } = queryOf(exchange);
    const scope = scopeOf(exchange, filters);
    const listPage: PageQuery = {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { after: this.cursors.read(cursor, scope) }),
      ...(dialect.showsTotal(declaration.listed) ? { withTotal: true } : {}),
    };
    const read = {
      query: filters,
      listPage,
      wantsCsv: declaration.alsoCsv === true && wantsCsv(request.raw),
    };
    const result = await handle(exchange, routeRequestOf(exchange, read));
    if (result instanceof CsvTable) return asCsv(reply, result);
    const found = result as DomainPage;
    const next = found.next ? this.cursors.write(found.next, scope) : null;
    return asJson(reply, dialect.page(declaration.reply, found, next, declaration.listed));
  }
}

function scopeOf({ route, admission, request }: Exchange<'list'>, filters: object): CursorScope {
  const named = [...route.ids, ...route.addresses, ...route.numbers].map((name) => [
    `:${name}`,
    (request.params as Record<string, string>)[name]!.toLowerCase(),
  ]);
  return {
    route: `${route.method} ${route.path}`,
    surface: route.surface,
    projectId: admission.caller.projectId,
    sort: 'created_at desc, id desc',
    // What the path names is a filter, too: a cursor of one campaign is none of another.
    filters: { ...filters, ...Object.fromEntries(named) },
  };
}

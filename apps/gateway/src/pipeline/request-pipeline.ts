import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { isUuid, normaliseAddress } from '@posthorn/contracts';
import type { Dialect } from '../dialects/dialect.js';
import { dialects } from '../dialects/dialects.js';
import type { RateLimitKey } from '../identity/credential.js';
import { Guard } from '../identity/guard.js';
import { rateLimitHeaders, isExceeded } from '../rate-limit/rate-limit-state.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { rateLimited } from '../wire/errors.js';
import type { HttpReply, HttpRequest } from '../wire/fastify.js';
import type { Exchange } from './exchange.js';
import { ListResponder } from './list-responder.js';
import { ResourceResponder, UploadResponder } from './resource-responder.js';
import type { Route } from '../routes/route-table.js';
import { kindOf, type Handler, type RouteKind } from '../routes/route.js';
import { StreamResponder } from './stream-responder.js';

type Responders = { [Kind in RouteKind]: { serve(exchange: Exchange<Kind>): Promise<string | Readable> } };

/** What every request goes through, in this order; whatever fails is thrown, and answered by Failures. */
@Injectable()
export class RequestPipeline {
  private readonly responders: Responders;

  constructor(
    private readonly guard: Guard,
    private readonly limiter: RateLimiter,
    resource: ResourceResponder,
    list: ListResponder,
    stream: StreamResponder,
    upload: UploadResponder,
  ) {
    this.responders = { resource, list, stream, upload };
  }

  async serve(
    route: Route,
    handler: Handler,
    request: HttpRequest,
    reply: HttpReply,
  ): Promise<string | Readable> {
    const dialect = dialects[route.surface];
    const admission = await this.guard.admit(route, request);
    if (this.limiter.enabled) await this.limit(admission.rateLimitKey, dialect, reply);
    refuseMalformedIds(route, request);
    const { declaration } = route;
    const exchange = { route, declaration, dialect, admission, request, reply, handler };
    return this.responders[kindOf(declaration)].serve(exchange as never);
  }

  private async limit(rateLimitKey: RateLimitKey, dialect: Dialect, reply: HttpReply): Promise<void> {
    const state = await this.limiter.take(rateLimitKey);
    reply.headers(rateLimitHeaders(state, dialect.surface, rateLimitKey.kind));
    if (isExceeded(state)) throw rateLimited(rateLimitKey.kind === 'SESSION', state.limit, state.resetIn);
  }
}

const smallNumber = /^[1-9]\d{0,8}$/;

/** A malformed id answers like one of another project, and never reaches SQL. Addresses are normalised. */
function refuseMalformedIds({ ids, addresses, numbers, declaration }: Route, request: HttpRequest): void {
  const params = request.params as Record<string, string>;
  for (const name of ids) if (!isUuid(params[name] ?? '')) throw declaration.missing!();
  for (const name of numbers) if (!smallNumber.test(params[name] ?? '')) throw declaration.missing!();
  for (const name of addresses) {
    const address = normaliseAddress(params[name] ?? '');
    if (address === null) throw declaration.missing!();
    params[name] = address;
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Caller } from '@posthorn/contracts';
import { runAsCaller } from '@posthorn/messaging';
import { badToken, postmarkErrorOf, postmarkStatusOf, templatesUnsupported } from '../dialects/postmark.js';
import { batchBodyLimit, BodyReader, jsonType, sendBodyLimit } from '../wire/bodies/body-reader.js';
import { rateLimited } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { headerValues } from '../wire/headers.js';
import { parseValue } from '../wire/bodies/parse-body.js';
import type { Route } from '../routes/route-table.js';
import { Guard } from '../identity/guard.js';
import { postmarkPath } from './postmark-elsewhere.js';
import { rateLimitHeaders, isExceeded } from '../rate-limit/rate-limit-state.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { PostmarkSends } from './postmark-sends.js';

const tokenHeader = 'x-postmark-server-token';
/** The same limit as for batches of the other surfaces: keys and elements of one body. */
const batchMembers = 200_000;

class Nothing {}

const sending: Route = {
  method: 'POST',
  path: `${postmarkPath}/email`,
  surface: 'legacy',
  noun: 'postmark',
  name: 'send',
  answeredBy: { controller: Nothing },
  declaration: {
    summary: 'Send through the compatibility API',
    scope: 'emails:send',
    callers: ['SECRET'],
    body: null,
    reply: Nothing,
  },
  ids: [],
  addresses: [],
  numbers: [],
  projectInPath: false,
  isSend: true,
};

type Act = (caller: Caller, body: unknown) => Promise<object>;

interface Way {
  act: Act;
  bodyLimit: number;
  members?: number;
}

/** Has its own key header, names and errors (docs/api-decisions.md §13). */
@Injectable()
export class PostmarkEndpoint implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly guard: Guard,
    private readonly limiter: RateLimiter,
    private readonly failures: Failures,
    private readonly bodies: BodyReader,
    private readonly sends: PostmarkSends,
  ) {}

  onApplicationBootstrap(): void {
    const one: Act = (caller, body) => this.sends.send(caller, body);
    const batch: Act = (caller, body) => this.sends.sendBatch(caller, body);
    const withTemplate: Act = () => Promise.reject(templatesUnsupported());
    this.open('/email', { act: one, bodyLimit: sendBodyLimit });
    this.open('/email/batch', { act: batch, bodyLimit: batchBodyLimit, members: batchMembers });
    this.open('/email/withTemplate', { act: withTemplate, bodyLimit: sendBodyLimit });
    this.open('/email/batchWithTemplates', {
      act: withTemplate,
      bodyLimit: batchBodyLimit,
      members: batchMembers,
    });
  }

  private open(below: string, way: Way): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.route({
      method: 'POST',
      url: postmarkPath + below,
      errorHandler: (error, request, reply) => void this.failed(error, request, reply),
      handler: (request: HttpRequest, reply: HttpReply) => this.serve(way, request, reply),
    });
  }

  private async serve(
    { act, bodyLimit, members }: Way,
    request: HttpRequest,
    reply: HttpReply,
  ): Promise<string> {
    const caller = await this.admit(request, reply);
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit, jsonType, caller.projectId);
    try {
      const body = parseValue(bytes, members);
      const answer = await runAsCaller(caller, () => act(caller, body));
      void reply.header('content-type', 'application/json; charset=utf-8');
      return JSON.stringify(answer);
    } finally {
      release();
    }
  }

  private async admit({ raw, ip }: HttpRequest, reply: HttpReply): Promise<Caller> {
    const [token, ...others] = headerValues(raw.rawHeaders, tokenHeader);
    if (!token?.startsWith('sk_') || others.length > 0) throw badToken();
    const { caller, rateLimitKey } = await this.guard.admit(sending, {
      raw: { rawHeaders: ['authorization', `Bearer ${token}`] },
      params: {},
      ip,
    });
    if (this.limiter.enabled) {
      const state = await this.limiter.take(rateLimitKey);
      void reply.headers(rateLimitHeaders(state, 'legacy', rateLimitKey.kind));
      if (isExceeded(state)) throw rateLimited(false, state.limit, state.resetIn);
    }
    return { ...caller, ipAddress: ip };
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
    const error = this.failures.report(thrown, request);
    const { retryAfterSeconds } = error.details;
    if (retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))));
    return reply
      .code(postmarkStatusOf(error))
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(postmarkErrorOf(error)));
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { Bus } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { unknownRoute, wrongMethod } from '../wire/errors.js';
import { Failures, pathOf } from './failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { redirectLoopbackNames } from '../wire/one-host.js';
import { RequestPipeline } from './request-pipeline.js';
import { RequestWatch } from './request-watch.js';
import { type Route, RouteTable } from '../routes/route-table.js';
import { headerValues, securityHeaders } from '../wire/headers.js';
import { isTrustedOrigin } from '../people/people-rules.js';
import { callersOf, type Handler } from '../routes/route.js';

/** The routes, and what answers each: its call over the bus, or the method of its controller. */
@Injectable()
export class AnsweredRoutes {
  constructor(
    readonly table: RouteTable,
    private readonly modules: ModuleRef,
    private readonly bus: Bus,
  ) {}

  handlerOf({ name, answeredBy }: Route): Handler {
    if (typeof answeredBy === 'function') return (request) => answeredBy(this.bus, request);
    const controller = this.modules.get<Record<string, Handler>>(answeredBy.controller, { strict: false });
    return (request) => controller[name]!(request);
  }
}

const unreadMs = 60_000;

/** Registers the declared routes with Fastify directly, without Nest's router and pipes. */
@Injectable()
export class Registrar implements OnApplicationBootstrap {
  private draining = false;
  private readonly cors: Cors;

  constructor(
    private readonly routes: AnsweredRoutes,
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly pipeline: RequestPipeline,
    private readonly failures: Failures,
    private readonly watch: RequestWatch,
  ) {
    this.cors = new Cors(config);
  }

  onApplicationBootstrap(): void {
    const adapter = this.host.httpAdapter as unknown as EdgeAdapter;
    const fastify = adapter.getInstance<Fastify>();
    this.prepare(adapter, fastify);
    for (const route of this.routes.table.routes) this.add(fastify, route);
  }

  /** Closes every connection after its response, so that none is reset when the port closes (docs/guarantees.md G16). */
  drain(): void {
    this.draining = true;
  }

  private prepare(adapter: EdgeAdapter, fastify: Fastify): void {
    const headers = securityHeaders(this.config.publicUrl);
    this.watch.attach(fastify);
    fastify.addHook('onRequest', (_, reply, done) => {
      void reply.headers(headers);
      done();
    });
    redirectLoopbackNames(fastify, this.config.publicUrl);
    // Set on sending, so that requests that arrived before the drain close their connection too.
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.draining) void reply.header('connection', 'close');
      done();
    });
    // An unread body must not keep the connection open forever.
    fastify.addHook('onResponse', ({ raw }, _reply, done) => {
      if (!raw.complete) setTimeout(() => raw.complete || raw.socket.destroy(), unreadMs).unref();
      done();
    });
    // Bodies are read only after the guard and the rate limiter have admitted the request.
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    fastify.setErrorHandler((error, request, reply) =>
      this.failures.answer(error, request, reply, routeOf(request)),
    );
    fastify.setNotFoundHandler((request, reply) => this.withoutRoute(request, reply));
    adapter.onFrameworkError = (error, request, reply) =>
      this.failures.answer(error, request, reply.headers(headers));
  }

  private add(fastify: Fastify, route: Route): void {
    const handler = this.routes.handlerOf(route);
    fastify.route({
      method: route.method,
      url: route.path,
      config: { declared: route },
      onRequest: (request: HttpRequest, reply: HttpReply, done: () => void) => (
        this.cors.allow(route, request, reply),
        done()
      ),
      handler: (request: HttpRequest, reply: HttpReply) =>
        this.pipeline.serve(route, handler, request, reply),
    });
  }

  private withoutRoute(request: HttpRequest, reply: HttpReply): void {
    const path = pathOf(request.url);
    if (this.cors.preflight(this.routes.table.at(path), request, reply)) return;
    const methods = (this.host.httpAdapter as unknown as EdgeAdapter).methodsAt(path);
    this.failures.answer(
      methods.length > 0 ? wrongMethod(withHead(methods)) : unknownRoute(),
      request,
      reply,
    );
  }
}

const withHead = (methods: string[]): string[] => (methods.includes('GET') ? [...methods, 'HEAD'] : methods);

const routeOf = (request: HttpRequest): Route | undefined =>
  (request.routeOptions?.config as { declared?: Route } | undefined)?.declared;

/** Routes open to public keys may be called from any origin, without credentials (docs/api-decisions.md §15). */
const isOpenToAnyOrigin = ({ declaration }: Route): boolean => callersOf(declaration).includes('PUBLIC');

const exposed =
  'retry-after, ratelimit, ratelimit-policy, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';
const forAll = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const forOwnOrigins = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
});

/** Other routes may be called from the product's own origins only, with cookies. */
class Cors {
  constructor(private readonly config: Pick<GatewayConfig, 'trustedOrigins'>) {}

  allow(route: Route, request: HttpRequest, reply: HttpReply): void {
    const headers = isOpenToAnyOrigin(route) ? forAll : this.forTrusted(request);
    if (headers) void reply.headers({ ...headers, 'access-control-expose-headers': exposed });
  }

  preflight(routes: readonly Route[], request: HttpRequest, reply: HttpReply): boolean {
    const wanted = request.headers['access-control-request-method'];
    const open = routes.filter(isOpenToAnyOrigin);
    const ours = routes.filter((route) => !isOpenToAnyOrigin(route));
    const trusted =
      ours.length > 0 && !open.some(({ method }) => method === wanted) ? this.forTrusted(request) : null;
    if (request.method !== 'OPTIONS' || (!trusted && open.length === 0)) return false;
    const methods = (trusted ? ours : open).map(({ method }) => method);
    void reply
      .code(204)
      .headers({
        ...(trusted ?? forAll),
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': `authorization, content-type, idempotency-key${trusted ? ', x-project-id' : ''}`,
        'access-control-max-age': '86400',
      })
      .send();
    return true;
  }

  private forTrusted({ raw }: HttpRequest): Record<string, string> | null {
    const origins = headerValues(raw.rawHeaders, 'origin');
    return isTrustedOrigin(this.config, origins) ? forOwnOrigins(origins[0]!) : null;
  }
}

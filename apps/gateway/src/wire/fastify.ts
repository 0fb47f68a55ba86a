import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOfPattern } from './path-pattern.js';
import { answerUnreadable } from './unreadable-request.js';

const maxUploadMs = 12 * 3_600_000;

export type Fastify = FastifyInstance;
export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

export interface HttpOptions {
  /** Proxies whose `X-Forwarded-For` is trusted; none by default. */
  trustedProxies: string[];
}

/** Nest's Fastify without Nest's routing, body parsing and error replies, which follow neither dialect. */
export class EdgeAdapter extends FastifyAdapter {
  readonly served: { method: string; path: string }[] = [];
  /** Fastify refuses a path that cannot be decoded before any route matches. */
  onFrameworkError: (error: Error, request: HttpRequest, reply: HttpReply) => void = (error, _, reply) =>
    void reply.send(error);

  constructor({ trustedProxies }: HttpOptions) {
    const options = {
      logger: false,
      skipMiddie: true,
      multipart: false,
      trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
      // A request that reaches a closing gateway on a connection it already had is still answered (docs/guarantees.md G16).
      return503OnClosing: false,
      forceCloseConnections: 'idle',
      // An upload may take long; every other body has a minute (body-reader.ts).
      requestTimeout: maxUploadMs,
      connectionTimeout: 60_000,
      clientErrorHandler: answerUnreadable,
      // An id of any length must reach the route, to be answered like any unknown id.
      routerOptions: { maxParamLength: 16 * 1024 },
      frameworkErrors: (error: Error, request: HttpRequest, reply: HttpReply) =>
        this.onFrameworkError(error, request, reply),
    };
    super(options as unknown as FastifyInstance);
    this.getInstance<Fastify>().addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (each !== 'HEAD') this.served.push({ method: each, path: url });
    });
  }

  methodsAt(path: string): string[] {
    const found = this.served.filter((route) => isOfPattern(route.path, path));
    const named = found.filter((route) => !route.path.endsWith('*'));
    return [...new Set((named.length > 0 ? named : found).map(({ method }) => method))];
  }

  override setErrorHandler(): Fastify {
    return this.getInstance<Fastify>();
  }

  override setNotFoundHandler(): Fastify {
    return this.getInstance<Fastify>();
  }
}

const maxUserAgent = 512;

export const clientOf = ({ ip, headers }: HttpRequest): { ipAddress: string; userAgent?: string } => ({
  ipAddress: ip,
  ...(headers['user-agent'] ? { userAgent: headers['user-agent'].slice(0, maxUserAgent) } : {}),
});

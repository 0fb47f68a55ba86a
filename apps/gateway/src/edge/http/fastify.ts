import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOfPattern } from '../routes/path-pattern.js';
import { answerUnreadable } from './unreadable-request.js';

const maxUploadMs = 12 * 3_600_000;

export type Fastify = FastifyInstance;
export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

export interface HttpOptions {
  /** Proxies whose `X-Forwarded-For` is believed; none by default. */
  trustedProxies: string[];
}

/** Nest's Fastify, with routing, parsing and errors left to the edge: Nest's own answers would be in neither dialect. */
export class EdgeAdapter extends FastifyAdapter {
  /** Everything that there is, in the order in which it was put there. */
  readonly served: { method: string; path: string }[] = [];
  /** A path that cannot be decoded is refused before any route, and falls to the edge like every other failure. */
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
      // A table of two gigabytes comes for as long as it comes: what is read otherwise has a minute (body-reader.ts), a silent line too.
      requestTimeout: maxUploadMs,
      connectionTimeout: 60_000,
      clientErrorHandler: answerUnreadable,
      // As long as a whole request line may be: an id of any length is a malformed id, and answers like a stranger's.
      routerOptions: { maxParamLength: 16 * 1024 },
      frameworkErrors: (error: Error, request: HttpRequest, reply: HttpReply) =>
        this.onFrameworkError(error, request, reply),
    };
    super(options as unknown as FastifyInstance);
    this.getInstance<Fastify>().addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (each !== 'HEAD') this.served.push({ method: each, path: url });
    });
  }

  /** The methods that a path is served with, whoever put it there; what is more than everything below another is not that. */
  methodsAt(path: string): string[] {
    const found = this.served.filter((route) => isOfPattern(route.path, path));
    const named = found.filter((route) => !route.path.endsWith('*'));
    return [...new Set((named.length > 0 ? named : found).map(({ method }) => method))];
  }

  // The edge sets both itself; Nest would set them a second time, in its own shape.
  override setErrorHandler(): Fastify {
    return this.getInstance<Fastify>();
  }

  override setNotFoundHandler(): Fastify {
    return this.getInstance<Fastify>();
  }
}

const maxUserAgent = 512;

/** From where a request comes: its address, of which proxies that are trusted have told, and what the client calls itself. */
export const clientOf = ({ ip, headers }: HttpRequest): { address: string; userAgent?: string } => ({
  address: ip,
  ...(headers['user-agent'] ? { userAgent: headers['user-agent'].slice(0, maxUserAgent) } : {}),
});

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { DomainError } from '@posthorn/contracts';
import { GatewayConfig } from '../../config.js';
import { BodyReader } from '../../wire/bodies/body-reader.js';
import { unknownRoute, untrustedOrigin, wrongMethod } from '../../wire/errors.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../../wire/fastify.js';
import { headerValues } from '../../wire/headers.js';
import { parseBody } from '../../wire/bodies/parse-body.js';
import { authPath, isTrustedOrigin } from '../people-rules.js';
import { People } from '../people.js';

/** Endpoints of the library that are public. Its session lists would expose hashes, so sessions have routes of their own. */
const open: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/get-session': 'GET',
  '/sign-up/email': 'POST',
  '/sign-in/email': 'POST',
  '/sign-out': 'POST',
  '/verify-email': 'GET',
  '/send-verification-email': 'POST',
  '/request-password-reset': 'POST',
  '/reset-password': 'POST',
  '/change-password': 'POST',
  '/update-user': 'POST',
  '/two-factor/enable': 'POST',
  '/two-factor/disable': 'POST',
  '/two-factor/verify-totp': 'POST',
  '/two-factor/verify-backup-code': 'POST',
  '/two-factor/generate-backup-codes': 'POST',
};

const bodyLimit = 16 * 1024;

/** `/api/auth/*`, for clients with their own pages. */
@Injectable()
export class PeopleEndpoint implements OnApplicationBootstrap {
  private readonly bodies = new BodyReader();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly people: People,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url: `${authPath}/*`,
      onRequest: (request: HttpRequest, reply: HttpReply, done: () => void) => (
        this.allowOwn(request, reply),
        done()
      ),
      handler: (request: HttpRequest, reply: HttpReply) => this.serve(request, reply),
    });
  }

  private allowOwn({ raw: { rawHeaders } }: HttpRequest, reply: HttpReply): void {
    const origins = headerValues(rawHeaders, 'origin');
    if (!isTrustedOrigin(this.config, origins)) return;
    void reply.headers({
      'access-control-allow-origin': origins[0]!,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    });
  }

  private async serve(request: HttpRequest, reply: HttpReply): Promise<string> {
    const path = `/${(request.params as { '*': string })['*']}`;
    const method = Object.hasOwn(open, path) ? open[path]! : null;
    if (!method) throw this.unknown(request, path);
    if (request.method === 'OPTIONS') return preflight(reply, method);
    if (request.method !== method) throw wrongMethod([method]);
    if (method === 'POST') this.refuseUnknown(request);
    const query = queryOf(request);
    if (path === '/verify-email' && /text\/html/.test(request.headers.accept ?? ''))
      return sendOn(reply, query);
    const body = method === 'POST' ? await this.read(request) : undefined;
    return answer(
      reply,
      await this.people.request({ method, path, query, request, ...(body ? { body } : {}) }),
    );
  }

  /** OAuth endpoints are below this path, each with its own method. */
  private unknown({ method }: HttpRequest, path: string): DomainError {
    const methods = (this.host.httpAdapter as unknown as EdgeAdapter).methodsAt(authPath + path);
    return methods.includes(method) ? unknownRoute() : wrongMethod(methods);
  }

  /** Requests with cookies or from a browser must come from a trusted origin. */
  private refuseUnknown({ raw: { rawHeaders } }: HttpRequest): void {
    const origins = headerValues(rawHeaders, 'origin');
    const requests = origins.length > 0 || headerValues(rawHeaders, 'cookie').length > 0;
    if (requests && !isTrustedOrigin(this.config, origins)) throw untrustedOrigin();
  }

  private async read(request: HttpRequest): Promise<Record<string, unknown>> {
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit);
    try {
      return (bytes.length > 0 ? parseBody(bytes) : {}) as Record<string, unknown>;
    } finally {
      release();
    }
  }
}

function preflight(reply: HttpReply, method: string): string {
  reply.statusCode = 204;
  void reply.headers({
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '86400',
  });
  return '';
}

/** Opening a link must not change anything (docs/guarantees.md §6), so browsers get a page with a button. */
function sendOn(reply: HttpReply, query: Record<string, string>): string {
  reply.statusCode = 303;
  void reply.header('location', `/verify-email?${new URLSearchParams(query).toString()}`);
  return '';
}

async function answer(reply: HttpReply, answered: Response): Promise<string> {
  reply.statusCode = answered.status;
  const wait = answered.headers.get('x-retry-after');
  if (wait) void reply.header('retry-after', wait);
  for (const cookie of answered.headers.getSetCookie()) void reply.header('set-cookie', cookie);
  void reply.header('content-type', 'application/json; charset=utf-8');
  return withoutTokens(await answered.text());
}

/** Responses must not contain the session token, which scripts cannot read from the cookie either. */
function withoutTokens(text: string): string {
  return text === ''
    ? ''
    : JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === 'token' ? undefined : value)));
}

function queryOf({ query }: HttpRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query as Record<string, string | string[]>).map(([name, value]) => [
      name,
      [value].flat().at(-1)!,
    ]),
  );
}

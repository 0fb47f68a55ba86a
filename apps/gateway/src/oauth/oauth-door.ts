import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GatewayConfig } from '../config.js';
import { BodyReader } from '../edge/body-reader.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../edge/fastify.js';
import { headerValues } from '../edge/header-values.js';
import { parseBody } from '../edge/parse-body.js';
import { addressHeader, authPath } from '../people/people-rules.js';
import { People } from '../people/people.js';
import { isTrustedOrigin } from '../people/trusted-origins.js';
import { delegableScopes, issuerOf, resourceOf } from './oauth-rules.js';

const bodyLimit = 64 * 1024;
const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
const metadataPath = '/.well-known/oauth-authorization-server';
const resourcePath = '/.well-known/oauth-protected-resource';
/** What of the library's answers is handed on. */
const answered = ['content-type', 'location', 'cache-control', 'pragma', 'www-authenticate'];

/** Applications are no pages of ours: they come from any origin, without cookies. */
const forAll = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const preflight = {
  ...forAll,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
  'access-control-max-age': '86400',
};

/** The authorization server for applications: discovery, registration, tokens (RFC 6749, 7009, 7591, 7662, 8414, 9728). */
@Injectable()
export class OAuthDoor implements OnApplicationBootstrap {
  private readonly bodies = new BodyReader();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly people: People,
  ) {}

  onApplicationBootstrap(): void {
    const at = (method: 'GET' | 'POST', url: string, act: (request: HttpRequest, reply: HttpReply) => Promise<unknown>) =>
      this.fastify.route({ method, url, handler: act });
    at('GET', `${authPath}/oauth2/authorize`, (request, reply) => this.authorize(request, reply));
    for (const end of ['token', 'revoke', 'introspect']) {
      at('POST', `${authPath}/oauth2/${end}`, (request, reply) => this.handOn(request, reply, formType));
    }
    at('POST', `${authPath}/oauth2/register`, (request, reply) => this.handOn(request, reply));
    for (const path of [metadataPath, metadataPath + authPath]) at('GET', path, (_, reply) => this.tellServer(reply));
    for (const path of [resourcePath, `${resourcePath}/api`]) at('GET', path, (_, reply) => this.tellResource(reply));
    for (const url of [`${authPath}/oauth2/*`, '/.well-known/*']) {
      this.fastify.route({
        method: 'OPTIONS',
        url,
        handler: (_: HttpRequest, reply: HttpReply) => reply.code(204).headers(preflight).send(),
      });
    }
  }

  private get fastify(): Fastify {
    return (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
  }

  /** The one step that a person's browser takes. */
  private async authorize(request: HttpRequest, reply: HttpReply): Promise<unknown> {
    const headers = this.people.headersOf(request);
    headers.delete('origin');
    return answer(reply, await this.people.handOn(request.url, { method: 'GET', headers }));
  }

  private async handOn(request: HttpRequest, reply: HttpReply, type?: RegExp): Promise<unknown> {
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit, type);
    try {
      const headers = this.headersOf(request, type === undefined);
      void reply.headers(forAll);
      const text = bytes.toString('utf8');
      const body = type ? text : withApplicationType(text);
      return answer(reply, await this.people.handOn(request.url, { method: 'POST', headers, body }));
    } finally {
      release();
    }
  }

  /** A person's session counts where an application is registered, and only from a page of ours. */
  private headersOf(request: HttpRequest, mayBePerson: boolean): Headers {
    const { rawHeaders } = request.raw;
    const isOurs = mayBePerson && isTrustedOrigin(this.config, headerValues(rawHeaders, 'origin'));
    const headers = isOurs ? this.people.headersOf(request) : new Headers({ [addressHeader]: request.ip });
    for (const name of ['authorization', 'content-type']) {
      const values = headerValues(rawHeaders, name);
      if (values.length === 1) headers.set(name, values[0]!);
    }
    return headers;
  }

  private async tellServer(reply: HttpReply): Promise<unknown> {
    void reply.headers(forAll);
    return answer(reply, await this.people.handOn(metadataPath + authPath, { method: 'GET' }));
  }

  private async tellResource(reply: HttpReply): Promise<unknown> {
    return reply.headers({ ...forAll, 'cache-control': 'public, max-age=300' }).send({
      resource: resourceOf(this.config),
      authorization_servers: [issuerOf(this.config)],
      scopes_supported: delegableScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Posthorn',
      resource_documentation: this.config.docsUrl,
    });
  }
}

/** Many an application on a device does not say that it is one; where it is led back to does (RFC 8252 §7). */
function withApplicationType(text: string): string {
  const metadata = parseBody(Buffer.from(text)) as { application_type?: unknown; redirect_uris?: unknown };
  const uris = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  const isNative = uris.length > 0 && uris.every((uri) => typeof uri === 'string' && !uri.startsWith('https:'));
  return metadata.application_type === undefined && isNative ? JSON.stringify({ ...metadata, application_type: 'native' }) : text;
}

async function answer(reply: HttpReply, told: Response): Promise<unknown> {
  for (const name of answered) {
    const value = told.headers.get(name);
    if (value !== null) void reply.header(name, value);
  }
  const wait = told.headers.get('x-retry-after');
  if (wait) void reply.header('retry-after', wait);
  for (const cookie of told.headers.getSetCookie()) void reply.header('set-cookie', cookie);
  return reply.code(told.status).send(Buffer.from(await told.arrayBuffer()));
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { unavailable } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { BodyReader, formType } from '../wire/bodies/body-reader.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { headerValues } from '../wire/headers.js';
import { parseBody } from '../wire/bodies/parse-body.js';
import { addressHeader, authPath, isOneLine } from '../people/people-rules.js';
import { People } from '../people/people.js';
import { renderPage, pageHeaders } from '../pages/page-look.js';
import { withScope } from './authorization.js';
import { refused } from './leading.js';
import { delegableScopes, issuerOf, oauthPages, oauthPaths, resourceOf } from './oauth-rules.js';

const bodyLimit = 8 * 1024;
const metadataPath = '/.well-known/oauth-authorization-server';
const resourcePath = '/.well-known/oauth-protected-resource';
const answered = ['content-type', 'location', 'cache-control', 'pragma', 'www-authenticate'];

/** Applications call from any origin, without cookies. */
const forAll = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const preflight = {
  ...forAll,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
  'access-control-max-age': '86400',
};

/** Corrects the library's metadata: public clients may use the server while registration is closed, and DPoP is not supported. */
const promised = {
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  dpop_signing_alg_values_supported: undefined,
};

/** The OAuth authorization server: discovery, registration and tokens (RFC 6749, 7009, 7591, 7662, 8414, 9728). */
@Injectable()
export class OAuthEndpoint implements OnApplicationBootstrap {
  private readonly bodies = new BodyReader();
  private discovered: Record<string, unknown> | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly people: People,
  ) {}

  onApplicationBootstrap(): void {
    const at = (
      method: 'GET' | 'POST',
      url: string,
      act: (request: HttpRequest, reply: HttpReply) => Promise<unknown>,
    ) => this.fastify.route({ method, url, handler: act });
    at('GET', oauthPaths.authorize, (request, reply) => this.authorize(request, reply));
    for (const path of [oauthPaths.token, oauthPaths.revoke, oauthPaths.introspect])
      at('POST', path, (request, reply) => this.handOn(path, request, reply));
    at('POST', oauthPaths.register, (request, reply) => this.register(request, reply));
    for (const path of [metadataPath, metadataPath + authPath])
      at('GET', path, (_, reply) => this.sendToServer(reply));
    for (const path of [resourcePath, `${resourcePath}/api`])
      at('GET', path, (_, reply) => this.sendToResource(reply));
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

  private async authorize(request: HttpRequest, reply: HttpReply): Promise<unknown> {
    const headers = this.people.headersOf(request);
    headers.delete('origin');
    const route = { path: oauthPaths.authorize, search: withScope(searchOf(request)) };
    const published = await this.people.handOn(route, { method: 'GET', headers });
    const location = new URL(published.headers.get('location') ?? oauthPages.error, this.config.publicUrl);
    if (location.origin === new URL(this.config.publicUrl).origin) return answer(reply, published);
    // Redirects to other origins are made only after a decision of the user.
    const shown = refused(location.searchParams.get('error'), location.href);
    return reply
      .code(shown.status ?? 200)
      .headers(pageHeaders)
      .send(renderPage(shown));
  }

  private async handOn(path: string, request: HttpRequest, reply: HttpReply): Promise<unknown> {
    return this.post(path, request, reply, await this.read(request, formType));
  }

  private async register(request: HttpRequest, reply: HttpReply): Promise<unknown> {
    const metadata = parseBody(Buffer.from(await this.read(request))) as Record<string, unknown>;
    const name = metadata['client_name'];
    if (typeof name === 'string' && !isOneLine(name)) return reply.code(400).headers(forAll).send(badName);
    return this.post(
      oauthPaths.register,
      request,
      reply,
      JSON.stringify({ ...(isOnDevice(metadata) ? { application_type: 'native' } : {}), ...metadata }),
    );
  }

  private async read(request: HttpRequest, type?: RegExp): Promise<string> {
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit, type);
    release();
    return bytes.toString('utf8');
  }

  private async post(path: string, request: HttpRequest, reply: HttpReply, body: string): Promise<unknown> {
    void reply.headers(forAll);
    const init = { method: 'POST', headers: headersOf(request), body };
    return answer(reply, await this.people.handOn({ path, search: searchOf(request) }, init));
  }

  private async sendToServer(reply: HttpReply): Promise<unknown> {
    void reply.headers(forAll);
    const metadata = await this.metadata();
    const registration = this.config.clientRegistration ? {} : { registration_endpoint: undefined };
    return reply
      .headers({ 'cache-control': 'public, max-age=300' })
      .send({ ...metadata, ...promised, ...registration });
  }

  /** Asked for once: the library would count the requests of all applications together. */
  private async metadata(): Promise<Record<string, unknown>> {
    if (this.discovered) return this.discovered;
    const published = await this.people.handOn({ path: metadataPath + authPath }, { method: 'GET' });
    const metadata = (await published.json()) as Record<string, unknown>;
    if (!published.ok) throw unavailable('The metadata is not available at the moment; repeat the request');
    return (this.discovered = metadata);
  }

  private async sendToResource(reply: HttpReply): Promise<unknown> {
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

const searchOf = ({ url }: HttpRequest): string => new URL(url, 'http://own.invalid').search;

/** No cookies are passed on. */
function headersOf({ raw: { rawHeaders }, ip }: HttpRequest): Headers {
  const headers = new Headers({ [addressHeader]: ip });
  for (const name of ['authorization', 'content-type']) {
    const values = headerValues(rawHeaders, name);
    if (values.length === 1) headers.set(name, values[0]!);
  }
  return headers;
}

const badName = {
  error: 'invalid_client_metadata',
  error_description: 'client_name must be one line of 1 to 100 characters',
};

/** Many native applications do not set application_type, but their redirect URI shows it (RFC 8252 §7). */
function isOnDevice({ redirect_uris: uris }: Record<string, unknown>): boolean {
  return Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !uri.startsWith('https:'));
}

async function answer(reply: HttpReply, published: Response): Promise<unknown> {
  for (const name of answered) {
    const value = published.headers.get(name);
    if (value !== null) void reply.header(name, value);
  }
  const wait = published.headers.get('x-retry-after');
  if (wait) void reply.header('retry-after', wait);
  for (const cookie of published.headers.getSetCookie()) void reply.header('set-cookie', cookie);
  return reply.code(published.status).send(Buffer.from(await published.arrayBuffer()));
}

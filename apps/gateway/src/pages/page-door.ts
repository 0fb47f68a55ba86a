import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { DomainError } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { statusOfKind } from '../dialects/dialect.js';
import { BodyReader } from '../edge/body-reader.js';
import { untrustedOrigin } from '../edge/edge-errors.js';
import { Failures } from '../edge/failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../edge/fastify.js';
import { headerValues } from '../edge/header-values.js';
import type { SessionUser } from '../identity/credential.js';
import { Identities } from '../identity/identities.js';
import { hashOfSessionToken, sessionSecret, sessionTokenOf } from '../identity/session-cookie.js';
import { isOwnPath } from '../people/own-path.js';
import { isTrustedOrigin } from '../people/trusted-origins.js';
import { html } from './html.js';
import { layout } from './page-kit.js';
import type { Page, SentOn, Shown, Visit } from './page.js';
import { readForm } from './read-form.js';

const formLimit = 16 * 1024;
const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
const stylesheet = readFileSync(new URL('pages.css', import.meta.url));
const stylesheetPath = `/pages/${hash('sha256', stylesheet).slice(0, 12)}.css`;
// A browser that may name no page at all calls its origin "null" (Fetch, "append a request Origin header").
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** Puts pages on Fastify: who visits, what was filled in, and one look for all of them, failures included. */
@Injectable()
export class PageDoor {
  private readonly bodies = new BodyReader();
  private readonly secret: string;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly identities: Identities,
    private readonly failures: Failures,
  ) {
    this.secret = sessionSecret(config.secretKey);
  }

  onApplicationBootstrap(): void {
    this.fastify.get(stylesheetPath, (_, reply) =>
      reply.headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=31536000, immutable' }).send(stylesheet),
    );
  }

  /** For each page while the application starts. */
  open(page: Page): void {
    this.put('GET', page.path, (visit) => page.show(visit));
    if (page.submit) this.put('POST', page.path, (visit) => page.submit!(visit));
  }

  private put(method: 'GET' | 'POST', url: string, act: (visit: Visit) => Promise<Shown | SentOn>): void {
    this.fastify.route({
      method,
      url,
      errorHandler: (error, request, reply) => void this.failed(error, request, reply),
      handler: async (request: HttpRequest, reply: HttpReply) => this.answer(reply, await act(await this.visit(request))),
    });
  }

  private get fastify(): Fastify {
    return (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
  }

  private async visit(request: HttpRequest): Promise<Visit> {
    const form = request.method === 'POST' ? await this.filledIn(request) : {};
    const query = readForm(request.url.split('?')[1] ?? '');
    const next = form['next'] ?? query['next'] ?? null;
    return { request, query, form, person: await this.person(request), next: next !== null && isOwnPath(next) ? next : null };
  }

  private async filledIn(request: HttpRequest): Promise<Record<string, string>> {
    if (!isTrustedOrigin(this.config, headerValues(request.raw.rawHeaders, 'origin'))) throw untrustedOrigin();
    const { bytes, release } = await this.bodies.read(request.raw, formLimit, formType);
    const text = bytes.toString('utf8');
    release();
    return readForm(text);
  }

  private async person({ raw }: HttpRequest): Promise<SessionUser | null> {
    const token = sessionTokenOf(headerValues(raw.rawHeaders, 'cookie'), this.secret);
    return token === null ? null : this.identities.session(hashOfSessionToken(token));
  }

  private answer(reply: HttpReply, answer: Shown | SentOn): HttpReply {
    for (const cookie of answer.cookies ?? []) void reply.header('set-cookie', cookie);
    if ('location' in answer) return reply.code(303).header('location', answer.location).send();
    return reply
      .code(answer.status ?? 200)
      .headers(pageHeaders)
      .send(layout(answer.title, answer.body, stylesheetPath).text);
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
    const error = this.failures.tell(thrown, request);
    const body = html`<p>${error.message}.</p>
      <p><a href="/sign-in">Sign in</a></p>`;
    return this.answer(reply, { title: titleOf(error), body, status: statusOfKind[error.kind] });
  }
}

const titleOf = ({ kind }: DomainError): string => (kind === 'unavailable' || kind === 'timeout' ? 'Not right now' : 'That did not work');

import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type DomainError, invalidMember } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { statusOfKind } from '../dialects/dialect.js';
import { BodyReader, formType } from '../wire/bodies/body-reader.js';
import { untrustedOrigin } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { headerValues } from '../wire/headers.js';
import { Identities } from '../identity/identities.js';
import { isTrustedOrigin, isOwnPath } from '../people/people-rules.js';
import { html } from './html.js';
import { renderPage, pageHeaders, stylesheet, stylesheetPath } from './page-look.js';
import type { Page, SentOn, Shown, Visit } from './page.js';

const formLimit = 16 * 1024;

@Injectable()
export class PageRouter {
  private readonly bodies = new BodyReader();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
    private readonly identities: Identities,
    private readonly failures: Failures,
  ) {}

  onApplicationBootstrap(): void {
    this.fastify.get(stylesheetPath, (_, reply) =>
      reply
        .headers({
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
        })
        .send(stylesheet),
    );
  }

  open(page: Page): void {
    this.put('GET', page.path, (visit) => page.show(visit));
    if (page.submit) this.put('POST', page.path, (visit) => page.submit!(visit));
  }

  private put(method: 'GET' | 'POST', url: string, act: (visit: Visit) => Promise<Shown | SentOn>): void {
    this.fastify.route({
      method,
      url,
      errorHandler: (error, request, reply) => void this.failed(error, request, reply),
      handler: async (request: HttpRequest, reply: HttpReply) =>
        this.answer(reply, await act(await this.visit(request))),
    });
  }

  private get fastify(): Fastify {
    return (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
  }

  private async visit(request: HttpRequest): Promise<Visit> {
    const form = request.method === 'POST' ? await this.filledIn(request) : {};
    const query = readForm(request.url.split('?')[1] ?? '');
    const next = form['next'] ?? query['next'] ?? null;
    return {
      request,
      query,
      form,
      person: await this.identities.session(headerValues(request.raw.rawHeaders, 'cookie')),
      next: next !== null && isOwnPath(next) ? next : null,
    };
  }

  private async filledIn(request: HttpRequest): Promise<Record<string, string>> {
    if (!isTrustedOrigin(this.config, headerValues(request.raw.rawHeaders, 'origin')))
      throw untrustedOrigin();
    const { bytes, release } = await this.bodies.read(request.raw, formLimit, formType);
    const text = bytes.toString('utf8');
    release();
    return readForm(text);
  }

  private answer(reply: HttpReply, answer: Shown | SentOn): HttpReply {
    for (const cookie of answer.cookies ?? []) void reply.header('set-cookie', cookie);
    if ('location' in answer) return reply.code(303).header('location', answer.location).send();
    return reply
      .code(answer.status ?? 200)
      .headers(pageHeaders)
      .send(renderPage(answer));
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
    const error = this.failures.report(thrown, request);
    const body = html`<p>${error.message}.</p>
      <p><a href="/sign-in">Sign in</a></p>`;
    return this.answer(reply, { title: titleOf(error), body, status: statusOfKind[error.kind] });
  }
}

const titleOf = ({ kind }: DomainError): string =>
  kind === 'unavailable' || kind === 'timeout' ? 'Temporarily unavailable' : 'Something went wrong';

const maxFields = 50;

/** `application/x-www-form-urlencoded` with one value per name, and text that Postgres can store. */
function readForm(text: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries = [...new URLSearchParams(text)].slice(0, maxFields);
  for (const [name, value] of entries) {
    if (value.includes('\0') || name.includes('\0'))
      throw invalidMember([name.replaceAll('\0', '')], 'invalid_text', 'must not contain NUL');
    fields[name] = value;
  }
  return fields;
}

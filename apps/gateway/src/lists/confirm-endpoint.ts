import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  confirmLinkUnknown,
  memberships,
  PickFields,
  serviceCaller,
  Subscription,
  type Caller,
  type ConfirmTarget,
} from '@posthorn/contracts';
import { ConfirmTokens } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { statusOfKind } from '../dialects/dialect.js';
import { dialectOfPath } from '../dialects/dialects.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { Failures, pathOf } from '../pipeline/failures.js';
import {
  clientOf,
  type EdgeAdapter,
  type Fastify,
  type HttpReply,
  type HttpRequest,
} from '../wire/fastify.js';
import { headerValues, isReadOnly, wantsHtml } from '../wire/headers.js';
import { drawForReader, laterPage, unlisted } from '../pages/reader-pages.js';
import { Senders, unknownSender, type Sender } from '../pages/senders.js';
import { buttonPage, donePage, overPage, unknownPage } from './confirm-pages.js';

const bodyLimit = 16 * 1024;
const bodyTypes = /^(?:application\/(?:x-www-form-urlencoded|json)|multipart\/form-data)\s*(?:;|$)/i;
const unstored = { ...unlisted, 'cache-control': 'no-store' };

class Confirmed extends PickFields(Subscription, ['status']) {}

interface Link {
  caller: Caller;
  sender: Sender;
  target: ConfirmTarget;
}

/** A browser gets a form first, because mail scanners follow links like browsers do. The token is the credential. */
@Injectable()
export class ConfirmEndpoint implements OnApplicationBootstrap {
  private readonly tokens: ConfirmTokens;
  private readonly bodies = new BodyReader();

  constructor(
    config: GatewayConfig,
    private readonly host: HttpAdapterHost,
    private readonly failures: Failures,
    private readonly senders: Senders,
    private readonly bus: Bus,
  ) {
    this.tokens = new ConfirmTokens(config.secretKeys);
  }

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    for (const url of ['/api/lists/confirm-subscription', '/api/v1/lists/confirm-subscription']) {
      const route = {
        url,
        errorHandler: (error: Error, request: HttpRequest, reply: HttpReply) =>
          this.failed(error, request, reply),
      };
      fastify.route({ ...route, method: 'GET', handler: (request, reply) => this.open(request, reply) });
      fastify.route({ ...route, method: 'POST', handler: (request, reply) => this.submit(request, reply) });
    }
  }

  private async open(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    return isLook(request) ? this.showButton(request, reply) : this.confirm(request, reply);
  }

  private async submit(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    (await this.bodies.read(request.raw, bodyLimit, bodyTypes)).release();
    return this.confirm(request, reply);
  }

  private async showButton(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const { caller, sender, target } = await this.linkOf(request);
    const found = await this.bus.call(memberships.look, caller, target).catch(refusedAs(sender));
    return drawForReader(reply.headers(unstored), buttonPage(sender, found));
  }

  private async confirm(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const { caller, sender, target } = await this.linkOf(request);
    const confirmed = await this.bus.call(memberships.confirm, caller, target).catch(refusedAs(sender));
    void reply.headers(unstored);
    if (confirmed.redirectUrl !== null)
      return reply.code(302).header('location', new URL(confirmed.redirectUrl).href).send('');
    if (!wantsJson(request)) return drawForReader(reply, donePage(sender, confirmed));
    const published = dialectOfPath(pathOf(request.url)).resource(Confirmed, { status: 'CONFIRMED' });
    return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(published));
  }

  private async linkOf(request: HttpRequest): Promise<Link> {
    const { token } = request.query as { token?: unknown };
    const read = typeof token === 'string' ? this.tokens.read(token) : null;
    if (!read) throw confirmLinkUnknown();
    const { projectId, membershipId, tokenHash } = read;
    return {
      caller: { ...serviceCaller('gateway', projectId), ...clientOf(request) },
      sender: await this.senders.of(projectId),
      target: { membershipId, tokenHash },
    };
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): void {
    void reply.headers(unstored);
    const { sender, error } = thrown instanceof Refused ? thrown : { sender: unknownSender, error: thrown };
    if (wantsJson(request)) return this.failures.answer(error, request, reply);
    const { kind } = this.failures.report(error, request);
    if (kind === 'not_found') drawForReader(reply, unknownPage);
    else if (kind === 'gone') drawForReader(reply, overPage(sender));
    else drawForReader(reply.header('retry-after', '1'), laterPage(sender, statusOfKind[kind]));
  }
}

class Refused extends Error {
  constructor(
    readonly error: unknown,
    readonly sender: Sender,
  ) {
    super('refused');
  }
}

const refusedAs =
  (sender: Sender) =>
  (error: unknown): never => {
    throw new Refused(error, sender);
  };

const isLook = ({ raw, query }: HttpRequest): boolean =>
  isReadOnly(raw, (query as { confirm?: unknown }).confirm === '1');

/** A client that accepts both is a browser. */
const wantsJson = ({ raw }: HttpRequest): boolean =>
  !wantsHtml(raw) && headerValues(raw.rawHeaders, 'accept').some((accept) => /\bjson\b/i.test(accept));

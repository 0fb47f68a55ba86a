import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { invalidMember, mayNotReturn, type PageSource, type Preferences } from '@posthorn/contracts';
import { EngagementTokens, type UnsubscribeTarget } from '@posthorn/mail';
import { GatewayConfig } from '../config.js';
import { statusOfKind } from '../dialects/dialect.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { unknownRoute } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import {
  clientOf,
  type EdgeAdapter,
  type Fastify,
  type HttpReply,
  type HttpRequest,
} from '../wire/fastify.js';
import type { Shown } from '../pages/page.js';
import { drawForReader, laterPage, linkFailedPage, spoken, unlisted } from '../pages/reader-pages.js';
import { Senders, type Sender } from '../pages/senders.js';
import { choiceIn, targetOf, type Choice } from './choice.js';
import { preferencePage } from './preference-page.js';
import { unsubscribePage } from './unsubscribe-page.js';
import { UnsubscribeService } from './unsubscribe.service.js';

const bodyLimit = 16 * 1024;
/** What is left of the time in which a request is answered (docs/guarantees.md G17) for reading it and drawing the page. */
const drawingMs = 150;
/** RFC 8058 §3.2 allows both. */
const bodyTypes = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;
const oneClick = /^List-Unsubscribe=One-Click$|name="?List-Unsubscribe"?[\s\S]{0,200}?\r?\n\r?\nOne-Click\b/i;
/** A page waits for the subscriptions of a contact only so long; it also works without them. */
const lookMs = 700;

/** GET changes nothing, because scanners follow links. The token is the credential; without a cookie, cross-site requests gain nothing. */
@Injectable()
export class UnsubscribeEndpoint implements OnApplicationBootstrap {
  private readonly tokens: EngagementTokens;
  private readonly bodies = new BodyReader();

  constructor(
    private readonly config: GatewayConfig,
    private readonly host: HttpAdapterHost,
    private readonly failures: Failures,
    private readonly senders: Senders,
    private readonly service: UnsubscribeService,
  ) {
    this.tokens = new EngagementTokens(config.secretKeys);
  }

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    for (const url of ['/u/:token', '/p/:token']) {
      const route = {
        url,
        errorHandler: (error: Error, request: HttpRequest, reply: HttpReply) =>
          void this.failed(error, request, reply),
      };
      fastify.route({
        ...route,
        method: 'GET',
        handler: async (request, reply) => drawForReader(reply, await this.show(request)),
      });
      fastify.route({ ...route, method: 'POST', handler: (request, reply) => this.submit(request, reply) });
    }
  }

  private async show(request: HttpRequest): Promise<Shown> {
    const location = this.locationOf(request);
    const sender = await this.senders.of(location.projectId);
    return this.page(request, sender, location, await this.service.look(location, lookMs));
  }

  private async submit(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const location = this.locationOf(request);
    const requested = await this.read(request);
    const began = performance.now();
    const sender = await this.senders.of(location.projectId);
    const limitMs = began + this.config.answerWithinMs - drawingMs - performance.now();
    const choice = requested === 'one-click' ? leaving(location, 'UNSUBSCRIBE_LINK') : requested;
    const refused = await this.service.choose(location, choice, clientOf(request), limitMs).then(
      () => null,
      (error: unknown) => this.failures.report(error, request),
    );
    if (refused?.code === mayNotReturn().code) {
      const state = await this.stateAfter(location, began);
      return drawForReader(reply, { ...this.page(request, sender, location, state), status: 409 });
    }
    if (refused)
      return drawForReader(reply.header('retry-after', '1'), laterPage(sender, statusOfKind[refused.kind]));
    return requested === 'one-click'
      ? reply.headers(unlisted).code(200).send('')
      : drawForReader(
          reply,
          this.page(request, sender, location, await this.stateAfter(location, began), choice),
        );
  }

  /** In the language of the contact, where we speak it. */
  private page(
    request: HttpRequest,
    sender: Sender,
    location: UnsubscribeTarget,
    known: Preferences | null,
    made: Choice | null = null,
  ): Shown {
    const language = spoken(known?.language ?? '') ?? sender.language;
    const page = pageOf(request) === 'PREFERENCE_PAGE' ? preferencePage : unsubscribePage;
    return page({ ...sender, language }, location, known, made);
  }

  private async stateAfter(location: UnsubscribeTarget, began: number): Promise<Preferences | null> {
    const remainingMs = this.config.answerWithinMs - drawingMs - (performance.now() - began);
    return remainingMs < drawingMs ? null : this.service.look(location, Math.min(lookMs, remainingMs));
  }

  private async read(request: HttpRequest): Promise<'one-click' | Choice> {
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit, bodyTypes);
    const text = bytes.toString('latin1').trim();
    release();
    if (oneClick.test(text)) return 'one-click';
    const form = new URLSearchParams(text);
    const by = pageOf(request);
    if (form.get('confirmed') === 'yes') return leaving(this.locationOf(request), by);
    const choice = choiceIn(form);
    if (choice) return { ...choice, by };
    throw invalidMember(['List-Unsubscribe'], 'required', 'must be One-Click');
  }

  private locationOf({ params }: HttpRequest): UnsubscribeTarget {
    const location = this.tokens.readUnsubscribe((params as { token: string }).token);
    if (!location) throw unknownRoute();
    return location;
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
    return drawForReader(reply, linkFailedPage(this.failures.report(thrown, request)));
  }
}

const pageOf = ({ url }: HttpRequest): PageSource =>
  url.startsWith('/p/') ? 'PREFERENCE_PAGE' : 'UNSUBSCRIBE_LINK';

const leaving = (location: UnsubscribeTarget, by: PageSource): Choice => ({
  of: targetOf(location),
  subscribed: false,
  by,
});

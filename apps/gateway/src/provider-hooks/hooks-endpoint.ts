import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { noProject, providerEvents, serviceCaller, type ProviderEvent } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { statusOfKind } from '../dialects/dialect.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { unknownRoute } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import type { ProviderHook } from './provider-hook.js';
import { BrevoHook } from './providers/brevo-hook.js';
import { MailgunHook } from './providers/mailgun-hook.js';
import { PostmarkHook } from './providers/postmark-hook.js';
import { SendgridHook } from './providers/sendgrid-hook.js';
import { SesHook } from './ses/ses-hook.js';

@Injectable()
export class ProviderHooks {
  private readonly byName: ReadonlyMap<string, ProviderHook>;

  constructor(
    ses: SesHook,
    postmark: PostmarkHook,
    sendgrid: SendgridHook,
    mailgun: MailgunHook,
    brevo: BrevoHook,
  ) {
    this.byName = new Map<string, ProviderHook>(Object.entries({ ses, postmark, sendgrid, mailgun, brevo }));
  }

  of(name: string): ProviderHook | null {
    const hook = this.byName.get(name);
    return hook?.isEnabled() ? hook : null;
  }
}

const bodyLimit = 1024 * 1024;
/** SNS sends JSON as text/plain. */
const bodyTypes = /^(?:application\/json|text\/plain)\s*(?:;|$)/i;
const atOnce = 500;

// 200 means that every event of the report is on disk, or is about no e-mail of Posthorn's; for everything
// else the provider repeats the report.
@Injectable()
export class HooksEndpoint implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly bodies: BodyReader,
    private readonly failures: Failures,
    private readonly bus: Bus,
    private readonly hooks: ProviderHooks,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    const route = {
      method: 'POST' as const,
      errorHandler: (error: Error, request: HttpRequest, reply: HttpReply) =>
        void this.failed(error, request, reply),
    };
    fastify.route({
      ...route,
      url: '/hooks/ses',
      handler: (request: HttpRequest) => this.take('ses', request),
    });
    fastify.route({
      ...route,
      url: '/hooks/provider/:name',
      handler: (request: HttpRequest) => this.take((request.params as { name: string }).name, request),
    });
  }

  private async take(name: string, request: HttpRequest): Promise<object> {
    const hook = this.hooks.of(name);
    if (!hook) throw unknownRoute();
    const { bytes, release } = await this.bodies.read(request.raw, bodyLimit, bodyTypes, `hook ${name}`);
    try {
      return { recorded: await this.record(await hook.read({ headers: request.headers, bytes })) };
    } finally {
      release();
    }
  }

  private async record(events: ProviderEvent[]): Promise<number> {
    let recorded = 0;
    for (let start = 0; start < events.length; start += atOnce) {
      const items = events.slice(start, start + atOnce);
      recorded += (await this.bus.call(providerEvents.record, serviceCaller('gateway', noProject), { items }))
        .recorded;
    }
    return recorded;
  }

  private failed(thrown: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
    const { kind, message, details } = this.failures.report(thrown, request);
    const status = statusOfKind[kind];
    if (status === 503)
      void reply.header('retry-after', String(Math.max(1, Math.ceil(details.retryAfterSeconds ?? 1))));
    return reply
      .code(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ error: message }));
  }
}

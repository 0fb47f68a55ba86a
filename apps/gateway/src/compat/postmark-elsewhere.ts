import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GatewayConfig } from '../config.js';
import { notCovered, postmarkErrorOf, postmarkStatusOf, type PostmarkRefusal } from '../dialects/postmark.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';

export const postmarkPath = '/api/compat/postmark';

/** Where Posthorn's own API has what a group of Postmark methods does, by the first segment of their path. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['bounces', 'Bounced e-mails are at GET /api/v1/emails?status=BOUNCED'],
  ['deliverystats', 'Bounced e-mails are at GET /api/v1/emails?status=BOUNCED'],
  ['messages', 'Sent e-mails are at GET /api/v1/emails'],
  ['stats', 'Statistics are at GET /api/v1/analytics/timeseries'],
  ['templates', 'Templates are at /api/v1/templates'],
  ['message-streams', 'Suppressions are at /api/v1/suppressions; there are no message streams'],
  ['domains', 'Sending domains are at /api/v1/domains'],
  ['senders', 'Sending domains are at /api/v1/domains; there are no sender signatures'],
  ['webhooks', 'There are no webhooks yet'],
]);

/** Answers every other method and path; needs no key, because the answer is the same for everybody. */
@Injectable()
export class PostmarkElsewhere implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: GatewayConfig,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    for (const url of [postmarkPath, `${postmarkPath}/*`])
      fastify.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url,
        handler: ({ params }: HttpRequest, reply: HttpReply) => {
          const refusal = refusalOf((params as { '*'?: string })['*'] ?? '', this.config.publicUrl);
          return reply
            .code(postmarkStatusOf(refusal))
            .header('content-type', 'application/json; charset=utf-8')
            .send(JSON.stringify(postmarkErrorOf(refusal)));
        },
      });
  }
}

function refusalOf(below: string, publicUrl: string): PostmarkRefusal {
  const hint = elsewhere.get(below.split('/')[0]!.toLowerCase());
  return notCovered(
    [
      'This method is not part of the compatibility API, which has POST /email and POST /email/batch only',
      ...(hint ? [hint] : []),
      `Everything else is in the API of Posthorn itself, with the same key as a Bearer token: ${publicUrl.replace(/\/+$/, '')}/docs`,
    ].join('. '),
  );
}

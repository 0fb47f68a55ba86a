import { createRequire } from 'node:module';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { unknownRoute } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { headerValues, acceptsHtml } from '../wire/headers.js';
import { Identities } from '../identity/identities.js';
import { guessedPages } from './guessed-pages.js';

const { version } = createRequire(import.meta.url)('posthorn/package.json') as { version: string };
const index = { name: 'Posthorn', version, docs: '/docs', openapi: '/openapi.json' };

@Injectable()
export class FrontPage implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly identities: Identities,
    private readonly failures: Failures,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.get('/', (request, reply) =>
      acceptsHtml(request.raw) ? this.leadOn(request, reply) : reply.send(index),
    );
    for (const [name, to] of Object.entries(guessedPages))
      fastify.get(`/${name}`, (request, reply) =>
        acceptsHtml(request.raw)
          ? this.leadOn(request, reply, to)
          : this.failures.answer(unknownRoute(), request, reply),
      );
  }

  private async leadOn({ raw }: HttpRequest, reply: HttpReply, to: string | null = null): Promise<HttpReply> {
    const person = await this.identities.session(headerValues(raw.rawHeaders, 'cookie'));
    return reply
      .code(302)
      .header('location', to ?? (person ? '/account' : '/sign-in'))
      .send();
  }
}

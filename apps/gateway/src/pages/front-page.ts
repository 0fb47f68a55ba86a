import { createRequire } from 'node:module';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../edge/http/fastify.js';
import { headerValues } from '../edge/http/header-values.js';
import { acceptsHtml } from '../edge/http/html-page.js';
import { Identities } from '../identity/identities.js';

const { version } = createRequire(import.meta.url)('posthorn/package.json') as { version: string };
const index = { name: 'Posthorn', version, docs: '/docs', openapi: '/openapi.json' };

@Injectable()
export class FrontPage implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly identities: Identities,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.get('/', (request, reply) =>
      acceptsHtml(request.raw) ? this.leadOn(request, reply) : reply.send(index),
    );
  }

  private async leadOn({ raw }: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const person = await this.identities.session(headerValues(raw.rawHeaders, 'cookie'));
    return reply
      .code(302)
      .header('location', person ? '/account' : '/sign-in')
      .send();
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EngagementTokens } from '@posthorn/mail';
import { GatewayConfig } from '../config.js';
import { unknownRoute } from '../wire/errors.js';
import type { EdgeAdapter, Fastify, HttpReply, HttpRequest } from '../wire/fastify.js';
import { drawForReader, linkFailedPage } from '../pages/reader-pages.js';
import { withdrawn, WithdrawnProjects } from '../projects/withdrawn-projects.read-model.js';
import { EngagementRecorder } from './engagement-recorder.js';

/** A transparent 1×1 GIF, which every mail client displays. */
const point = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const maxUserAgent = 512;
// Prevents image proxies and search engines from keeping a tracked response.
const unkept = {
  'cache-control': 'no-store, no-cache, must-revalidate, private',
  'x-robots-tag': 'noindex, nofollow',
};

/** The signed token holds everything for the response, so readers are independent of other services, and nearly of the database; redirects are limited to signed URLs. */
@Injectable()
export class TrackingEndpoint implements OnApplicationBootstrap {
  private readonly tokens: EngagementTokens;

  constructor(
    config: GatewayConfig,
    private readonly host: HttpAdapterHost,
    private readonly recorder: EngagementRecorder,
    private readonly withdrawnProjects: WithdrawnProjects,
  ) {
    this.tokens = new EngagementTokens(config.secretKeys);
  }

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.route({
      method: 'GET',
      url: '/t/o/:token',
      handler: async (request, reply) => this.open(request, reply),
    });
    fastify.route({
      method: 'GET',
      url: '/t/c/:token',
      handler: async (request, reply) => this.click(request, reply),
    });
  }

  private open(request: HttpRequest, reply: HttpReply): Buffer {
    const name = tokenOf(request);
    const location = name.endsWith('.gif') ? this.tokens.readOpen(name.slice(0, -'.gif'.length)) : null;
    if (!location) throw unknownRoute();
    this.recorder.note({ ...location, kind: 'OPEN', ...readerOf(request) });
    void reply.headers({
      ...unkept,
      'content-type': 'image/gif',
      'cross-origin-resource-policy': 'cross-origin',
    });
    return point;
  }

  private async click(request: HttpRequest, reply: HttpReply): Promise<string | HttpReply> {
    const location = this.tokens.readClick(tokenOf(request));
    if (!location) throw unknownRoute();
    if (await this.withdrawnProjects.has(location.projectId))
      return drawForReader(reply, linkFailedPage(withdrawn()));
    this.recorder.note({ ...location, kind: 'CLICK', ...readerOf(request) });
    void reply.code(302).headers({ ...unkept, location: location.url });
    return '';
  }
}

const tokenOf = ({ params }: HttpRequest): string => (params as { token: string }).token;

function readerOf({ method, headers }: HttpRequest): { userAgent: string; head?: boolean } {
  return {
    userAgent: (headers['user-agent'] ?? '').slice(0, maxUserAgent),
    ...(method === 'HEAD' ? { head: true } : {}),
  };
}

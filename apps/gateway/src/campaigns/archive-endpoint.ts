import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  campaignArchives,
  campaignMail,
  isUuid,
  serviceCaller,
  unavailable,
  type DomainError,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { unknownRoute } from '../wire/errors.js';
import { Failures } from '../pipeline/failures.js';
import type { EdgeAdapter, Fastify, HttpRequest } from '../wire/fastify.js';
import { html } from '../pages/html.js';
import { shown } from '../pages/page-kit.js';
import { drawForReader, linkFailedPage, unlisted } from '../pages/reader-pages.js';
import { withdrawn, WithdrawnProjects } from '../projects/withdrawn-projects.read-model.js';

/** Its author writes the page, and Posthorn serves it: it must not act for anybody who is signed in here. */
const headers = {
  ...unlisted,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src https: http: data:; style-src 'unsafe-inline' https:; font-src https: data:",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=60',
};

/** The first rendering of a page may wait for others. */
const renderMs = 8_000;

const linksAreYourOwn = shown(
  'Use the link in your own e-mail',
  html`<p>
    You are reading a public copy, which belongs to nobody. To unsubscribe or to change what you get, open the
    e-mail that you received and use its link.
  </p>`,
);

/** Readers must not see what is wrong with a template. */
const neutral = (error: DomainError): DomainError =>
  error.kind === 'not_found' || error.kind === 'gone' ? error : unavailable('This page cannot be shown now');

export const archivePath = (projectId: string, archiveId: string): string => `/a/${projectId}/${archiveId}`;

@Injectable()
export class ArchiveEndpoint implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly failures: Failures,
    private readonly bus: Bus,
    private readonly withdrawnProjects: WithdrawnProjects,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    // Where the links to leave of a public copy lead, which belong to nobody.
    fastify.get('/u', (_, reply) => drawForReader(reply, linksAreYourOwn));
    fastify.route({
      url: archivePath(':projectId', ':archiveId'),
      method: 'GET',
      errorHandler: (error, request, reply) =>
        void drawForReader(reply, linkFailedPage(neutral(this.failures.report(error, request)))),
      handler: async (request, reply) => {
        const page = await this.show(request);
        return reply.headers(headers).send(page);
      },
    });
  }

  private async show({ params }: HttpRequest): Promise<string> {
    const { projectId, archiveId } = params as { projectId: string; archiveId: string };
    if (!isUuid(projectId) || !isUuid(archiveId)) throw unknownRoute();
    if (await this.withdrawnProjects.has(projectId)) throw withdrawn();
    const caller = serviceCaller('gateway', projectId);
    const content = await this.bus.call(campaignArchives.contentOf, caller, { archiveId });
    return (await this.bus.call(campaignMail.archived, caller, content, { timeoutMs: renderMs })).html;
  }
}

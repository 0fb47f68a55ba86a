import { Controller } from '@nestjs/common';
import { revealNotFound, RevealedApiKey, revealOver, RevealQuery } from '@posthorn/contracts';
import type { RouteRequest } from '../../routes/route-request.js';
import type { HtmlPage } from '../../pages/page.js';
import { Get, Post } from '../../routes/route.js';
import { RevealLinks } from './reveal-links.js';

const path = 'projects/:projectId/api-keys/:keyId/reveal';
const reveal = {
  scope: 'projects:read',
  callers: ['SESSION'],
  query: RevealQuery,
  reply: RevealedApiKey,
  missing: revealNotFound,
  errors: [revealOver],
  alsoHtml: true,
  // Revealing changes nothing in the project, and reads stay possible while it is disabled.
  whileDisabled: true,
} as const;

@Controller()
export class RevealController {
  constructor(private readonly links: RevealLinks) {}

  @Get(path, {
    ...reveal,
    summary:
      'Reveal the secret of a new API key once; a browser shows a confirmation page unless `confirm` is 1',
  })
  read(request: RouteRequest<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    return this.links.open(request);
  }

  @Post(path, {
    ...reveal,
    summary: 'Reveal the secret of a new API key once, from the page of its link',
    body: null,
  })
  show(request: RouteRequest<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    return this.links.reveal(request);
  }
}

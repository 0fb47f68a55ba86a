import { Controller } from '@nestjs/common';
import { revealNotFound, RevealedApiKey, revealOver, RevealQuery } from '@posthorn/contracts';
import type { Call } from '../edge/routes/call.js';
import { HtmlPage } from '../edge/http/html-page.js';
import { Get, Post } from '../edge/routes/route.js';
import type { Shown } from '../pages/page.js';
import { buttonPage, overPage, tokenPage, unknownPage } from './reveal-page.js';
import { RevealsService } from './reveals.service.js';

const path = 'projects/:projectId/api-keys/:keyId/reveal';
const reveal = {
  scope: 'projects:read',
  callers: ['SESSION'],
  query: RevealQuery,
  reply: RevealedApiKey,
  missing: revealNotFound,
  errors: [revealOver],
  pages: true,
  // Revealing changes nothing in the project, and reads stay possible while it is disabled.
  whileDisabled: true,
} as const;

@Controller()
export class RevealController {
  constructor(private readonly reveals: RevealsService) {}

  @Get(path, {
    ...reveal,
    summary:
      'Reveal the secret of a new API key once; a browser shows a confirmation page unless `confirm` is 1',
  })
  async read(call: Call<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    return call.onlyLooks ? this.page(call, () => buttonPage) : this.show(call);
  }

  @Post(path, {
    ...reveal,
    summary: 'Reveal the secret of a new API key once, from the page of its link',
    body: null,
  })
  async show(call: Call<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    return call.wantsPage
      ? this.page(call, async () => tokenPage((await this.take(call)).token))
      : this.take(call);
  }

  private async page(
    { caller, params, query }: Call<object, RevealQuery>,
    waiting: () => Shown | Promise<Shown>,
  ): Promise<HtmlPage> {
    const state = await this.reveals.stateOf(caller.projectId, params['keyId']!, query.token);
    if (state === 'WAITING') return new HtmlPage(await waiting());
    return new HtmlPage(state === 'OVER' ? overPage : unknownPage);
  }

  private async take({ caller, params, query }: Call<object, RevealQuery>): Promise<RevealedApiKey> {
    return { token: await this.reveals.read(caller.projectId, params['keyId']!.toLowerCase(), query.token) };
  }
}

import { Controller } from '@nestjs/common';
import { revealNotFound, RevealedApiKey, RevealQuery } from '@posthorn/contracts';
import type { Call } from '../edge/call.js';
import { HtmlPage } from '../edge/html-page.js';
import { Get, Post } from '../edge/route.js';
import { askPage, gonePage, tokenPage } from './reveal-page.js';
import { RevealsService } from './reveals.service.js';

const path = 'projects/:projectId/api-keys/:keyId/reveal';
const reveal = {
  scope: 'projects:read',
  callers: ['SESSION'],
  query: RevealQuery,
  reply: RevealedApiKey,
  missing: revealNotFound,
  pages: true,
  // It changes nothing of the project: reads go on.
  whileDisabled: true,
} as const;

/** Where a new key's secret is read, once, by a person. */
@Controller()
export class RevealController {
  constructor(private readonly reveals: RevealsService) {}

  @Get(path, { ...reveal, summary: 'Read the secret of a new key, once; a browser is asked first' })
  async read(call: Call<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    return call.wantsPage ? this.ask(call) : this.take(call);
  }

  @Post(path, { ...reveal, summary: 'Read the secret of a new key, once, from the page of its link', body: null })
  async show(call: Call<object, RevealQuery>): Promise<RevealedApiKey | HtmlPage> {
    if (!call.wantsPage) return this.take(call);
    const waits = await this.waits(call);
    return waits ? new HtmlPage(tokenPage((await this.take(call)).token)) : new HtmlPage(gonePage);
  }

  private async ask(call: Call<object, RevealQuery>): Promise<HtmlPage> {
    return (await this.waits(call)) ? new HtmlPage(askPage) : new HtmlPage(gonePage);
  }

  private waits({ caller, params, query }: Call<object, RevealQuery>): Promise<boolean> {
    return this.reveals.waits(caller.projectId, params['keyId']!, query.token);
  }

  private async take({ caller, params, query }: Call<object, RevealQuery>): Promise<RevealedApiKey> {
    return { token: await this.reveals.read(caller.projectId, params['keyId']!.toLowerCase(), query.token) };
  }
}

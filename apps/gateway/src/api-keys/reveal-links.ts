import { Injectable } from '@nestjs/common';
import type { RevealedApiKey, RevealQuery } from '@posthorn/contracts';
import { HtmlPage } from '../edge/http/html-page.js';
import type { RouteRequest } from '../edge/routes/route-request.js';
import type { Shown } from '../pages/page.js';
import { buttonPage, overPage, tokenPage, unknownPage } from './reveal-page.js';
import { RevealsService } from './reveals.service.js';

type RevealCall = RouteRequest<object, RevealQuery>;

@Injectable()
export class RevealLinks {
  constructor(private readonly reveals: RevealsService) {}

  async open(call: RevealCall): Promise<RevealedApiKey | HtmlPage> {
    return call.onlyLooks ? this.page(call, () => buttonPage) : this.reveal(call);
  }

  async reveal(call: RevealCall): Promise<RevealedApiKey | HtmlPage> {
    return call.wantsPage
      ? this.page(call, async () => tokenPage((await this.take(call)).token))
      : this.take(call);
  }

  private async page(
    { caller, params, query }: RevealCall,
    whileWaiting: () => Shown | Promise<Shown>,
  ): Promise<HtmlPage> {
    const state = await this.reveals.stateOf(caller.projectId, params['keyId']!, query.token);
    if (state === 'WAITING') return new HtmlPage(await whileWaiting());
    return new HtmlPage(state === 'OVER' ? overPage : unknownPage);
  }

  private async take({ caller, params, query }: RevealCall): Promise<RevealedApiKey> {
    return { token: await this.reveals.read(caller.projectId, params['keyId']!.toLowerCase(), query.token) };
  }
}

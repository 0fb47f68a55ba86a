import { Injectable } from '@nestjs/common';
import type { RevealedApiKey, RevealQuery } from '@posthorn/contracts';
import { HtmlPage } from '../../pages/page.js';
import type { RouteRequest } from '../../routes/route-request.js';
import type { Shown } from '../../pages/page.js';
import { buttonPage, overPage, tokenPage, unknownPage } from './reveal-page.js';
import { RevealsService } from './reveals.service.js';

type RevealRequest = RouteRequest<object, RevealQuery>;

@Injectable()
export class RevealLinks {
  constructor(private readonly reveals: RevealsService) {}

  async open(request: RevealRequest): Promise<RevealedApiKey | HtmlPage> {
    return request.isReadOnly ? this.page(request, () => buttonPage) : this.reveal(request);
  }

  async reveal(request: RevealRequest): Promise<RevealedApiKey | HtmlPage> {
    return request.wantsHtml
      ? this.page(request, async () => tokenPage((await this.take(request)).token))
      : this.take(request);
  }

  private async page(
    { caller, params, query }: RevealRequest,
    whileWaiting: () => Shown | Promise<Shown>,
  ): Promise<HtmlPage> {
    const state = await this.reveals.stateOf(caller.projectId, params['keyId']!, query.token);
    if (state === 'WAITING') return new HtmlPage(await whileWaiting());
    return new HtmlPage(state === 'OVER' ? overPage : unknownPage);
  }

  private async take({ caller, params, query }: RevealRequest): Promise<RevealedApiKey> {
    return { token: await this.reveals.read(caller.projectId, params['keyId']!.toLowerCase(), query.token) };
  }
}

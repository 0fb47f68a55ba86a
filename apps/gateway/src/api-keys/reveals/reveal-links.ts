import { Injectable } from '@nestjs/common';
import type { RevealedApiKey, RevealQuery } from '@posthorn/contracts';
import { HtmlPage, type Shown } from '../../pages/page.js';
import type { RouteRequest } from '../../routes/route-request.js';
import { RevealsService } from './reveals.service.js';
import { html } from '../../pages/html.js';
import { form, shown } from '../../pages/page-kit.js';

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

/** Only the button reveals the secret, because scanners and previews open links too (docs/guarantees.md §6). */
const buttonPage = shown(
  'Your new API key is ready',
  html`<p>
      The key can be shown only once, and we cannot recover it afterwards. Have a safe place ready to store
      it.
    </p>
    ${form(html``, 'Show the key')}`,
);

const tokenPage = (token: string): Shown =>
  shown(
    'Your new API key',
    html`<p>Copy it now. It will not be shown again.</p>
      <p><code>${token}</code></p>`,
  );

const overPage = shown(
  'This link is no longer valid',
  html`<p>
    The link was already used, or is more than five minutes old. Rotate the key to get a new secret.
  </p>`,
  { status: 410 },
);

const unknownPage = shown(
  'This link is not valid',
  html`<p>Make sure that you copied the whole link. A link works for one key only.</p>`,
  { status: 404 },
);

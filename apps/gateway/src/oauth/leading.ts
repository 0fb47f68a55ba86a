import { html } from '../pages/html.js';
import { link, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { destinationOf } from './authorization.js';

/** What the library means by its codes; its own words may be anybody's, as they stand in the address. */
const texts: Readonly<Record<string, string>> = {
  access_denied: 'You denied it.',
  client_disabled: 'It may not ask any more.',
  consent_required: 'It asks without being seen, which nobody may.',
  invalid_client: 'Nobody knows it here: it may have been forgotten because nobody let it in.',
  invalid_redirect: 'It asks to be led back to where it is not registered.',
  invalid_scope: 'It asks for something that there is not.',
  invalid_target: 'It asks for another service.',
  login_required: 'It asks without being seen, which nobody may.',
  too_late: 'It took too long, or the request was changed on its way.',
};
const malformed = 'Its request is not well-formed.';

/** Back to the application as the person decided. */
export const ledBack = (url: string): Shown =>
  shown(
    'Back to the application',
    html`<p>This leads you back to <strong>${destinationOf(url)}</strong>.</p>
      <ul class="links">
        <li><a href="${url}">Go there now</a></li>
      </ul>`,
    { leadsTo: url },
  );

/** Why it cannot be let in. It is told only if the person wants: anybody can register an address to lead people to (RFC 9700 §4.11). */
export function refused(code: string | null, url?: string): Shown {
  const back = url ? html`<li><a href="${url}">Tell the application at ${destinationOf(url)}</a></li>` : null;
  return shown(
    'The application cannot be let in',
    html`<p>${texts[code ?? ''] ?? malformed} Go back to the application and begin again.</p>
      <ul class="links">
        ${back}
        <li>${link('/account', 'Your account')}</li>
      </ul>`,
    { status: 400 },
  );
}

import { html } from '../pages/html.js';
import { link, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { destinationOf } from './authorization.js';

/** Our texts for the library's error codes; its own messages come from the URL and may be forged. */
const texts: Readonly<Record<string, string>> = {
  access_denied: 'You denied access.',
  client_disabled: 'The application has been disabled.',
  consent_required: 'The application requested access without asking you, which is not allowed.',
  invalid_client: 'The application is not registered. Unused registrations are removed after a while.',
  invalid_redirect: 'The application requested a redirect to an address that is not registered.',
  invalid_scope: 'The application requested an unknown permission.',
  invalid_target: 'The application requested access to another service.',
  login_required: 'The application requested access without asking you, which is not allowed.',
  too_late: 'The request has expired or was changed.',
};
const malformed = 'The request of the application is malformed.';

export const ledBack = (url: string): Shown =>
  shown(
    'Returning to the application',
    html`<p>You are being redirected to <strong>${destinationOf(url)}</strong>.</p>
      <ul class="links">
        <li><a href="${url}">Continue</a></li>
      </ul>`,
    { leadsTo: url },
  );

/** No automatic redirect: an error could be used to send people to any registered address (RFC 9700 §4.11). */
export function refused(code: string | null, url?: string): Shown {
  const back = url ? html`<li><a href="${url}">Report the error to ${destinationOf(url)}</a></li>` : null;
  return shown(
    'The application cannot be authorized',
    html`<p>${texts[code ?? ''] ?? malformed} Return to the application and start over.</p>
      <ul class="links">
        ${back}
        <li>${link('/account', 'Your account')}</li>
      </ul>`,
    { status: 400 },
  );
}

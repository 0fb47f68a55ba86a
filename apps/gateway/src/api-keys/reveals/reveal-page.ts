import { html } from '../../pages/html.js';
import { form, shown } from '../../pages/page-kit.js';
import type { Shown } from '../../pages/page.js';

/** Only the button reveals the secret, because scanners and previews open links too (docs/guarantees.md §6). */
export const buttonPage = shown(
  'Your new API key is ready',
  html`<p>
      The key can be shown only once, and we cannot recover it afterwards. Have a safe place ready to store
      it.
    </p>
    ${form(html``, 'Show the key')}`,
);

export const tokenPage = (token: string): Shown =>
  shown(
    'Your new API key',
    html`<p>Copy it now. It will not be shown again.</p>
      <p><code>${token}</code></p>`,
  );

export const overPage = shown(
  'This link is no longer valid',
  html`<p>
    The link was already used, or is more than five minutes old. Rotate the key to get a new secret.
  </p>`,
  { status: 410 },
);

export const unknownPage = shown(
  'This link is not valid',
  html`<p>Make sure that you copied the whole link. A link works for one key only.</p>`,
  { status: 404 },
);

import { html } from '../pages/html.js';
import { form, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';

/** A look changes nothing: the secret is read by the button (docs/guarantees.md §6). */
export const buttonPage = shown(
  'Your new API key is ready',
  html`<p>
      It can be shown once. Have a safe place for it at hand: after this nobody can read it any more, we
      neither.
    </p>
    ${form(html``, 'Show the key')}`,
);

export const tokenPage = (token: string): Shown =>
  shown(
    'Your new API key',
    html`<p>Copy it now: it is not shown again.</p>
      <p><code>${token}</code></p>`,
  );

export const overPage = shown(
  'There is nothing to show',
  html`<p>
    The link was used already, or is older than five minutes. Rotate the key to get another secret.
  </p>`,
  { status: 410 },
);

export const unknownPage = shown(
  'There is no such link',
  html`<p>Perhaps a part of it is missing: copy all of it. A link shows the secret of one key only.</p>`,
  { status: 404 },
);

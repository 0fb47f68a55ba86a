import type { ConfirmedTarget } from '@posthorn/contracts';
import { html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import { policyOf } from '../pages/page-look.js';
import type { Shown } from '../pages/page.js';
import { filled, describe } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { confirmTexts } from './confirm-texts.js';

/** The form may redirect to the list's own page, which may redirect further. */
export function buttonPage(sender: Sender, { listName: list, redirectUrl }: ConfirmedTarget): Shown {
  const language = describe(sender.language);
  const { title, text, still, button } = confirmTexts[language].request;
  const headers: Record<string, string> =
    redirectUrl === null ? {} : { 'content-security-policy': policyOf("'self' https:") };
  const body = html`<p>${filled(text, sender, { list })}</p>
    <p>${still}</p>
    ${form(hidden('confirmed', 'yes'), button)}`;
  return shown(title, body, { language, headers });
}

export function donePage(sender: Sender, { listName: list }: ConfirmedTarget): Shown {
  const language = describe(sender.language);
  const { title, text } = confirmTexts[language].done;
  return shown(title, html`<p role="status">${filled(text, sender, { list })}</p>`, { language });
}

export function overPage(sender: Sender): Shown {
  const language = describe(sender.language);
  const { title, text } = confirmTexts[language].over;
  return shown(title, html`<p role="alert">${filled(text, sender)}</p>`, { language, status: 410 });
}

/** Neither the sender nor the language is known. */
export const unknownPage = shown(
  'This link is not valid',
  html`<p role="alert">It may be incomplete. Please open the link in the mail again.</p>`,
  { status: 404 },
);

import type { ConfirmedTarget } from '@posthorn/contracts';
import { html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import { policyOf } from '../pages/page-look.js';
import type { Shown } from '../pages/page.js';
import { filled, describe } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { confirmTexts } from './confirm-texts.js';

/** Its form may lead to the list's own page, and from there on wherever that leads. */
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

/** Whose link it was meant to be nobody knows, nor in which language. */
export const unknownPage = shown(
  'There is no such link',
  html`<p role="alert">Perhaps a part of it is missing: open it from the mail once more.</p>`,
  { status: 404 },
);

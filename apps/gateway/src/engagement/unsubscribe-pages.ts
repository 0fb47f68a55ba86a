import { html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { filled, describe } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { unsubscribeTexts } from './unsubscribe-texts.js';

export function buttonPage(sender: Sender, email: string): Shown {
  const language = describe(sender.language);
  const { title, text, still, button } = unsubscribeTexts[language].request;
  const body = html`<p>${filled(text, sender, { email })}</p>
    <p>${still}</p>
    ${form(hidden('confirmed', 'yes'), button)}`;
  return shown(title, body, { language });
}

export function donePage(sender: Sender, email: string): Shown {
  const language = describe(sender.language);
  const { title, text } = unsubscribeTexts[language].done;
  return shown(title, html`<p role="status">${filled(text, sender, { email })}</p>`, { language });
}

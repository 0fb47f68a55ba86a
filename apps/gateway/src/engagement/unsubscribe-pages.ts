import type { DomainError } from '@posthorn/contracts';
import { statusOfKind } from '../dialects/dialect.js';
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

/** For a link that is none of ours: the same words, whatever is wrong with it. */
export const deadPage = ({ kind, message }: DomainError): Shown =>
  kind === 'not_found'
    ? shown(
        'This link does not work',
        html`<p>It may have been cut on its way. Please follow the one in the message itself.</p>`,
        {
          status: 404,
        },
      )
    : shown('That did not work', html`<p>${message}.</p>`, { status: statusOfKind[kind] });

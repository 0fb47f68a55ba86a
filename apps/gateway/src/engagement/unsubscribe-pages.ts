import type { DomainError } from '@posthorn/contracts';
import { statusOfKind } from '../dialects/dialect.js';
import { html, type Html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { spoken } from './unsubscribe-words.js';
import type { Sender } from './unsubscribe.service.js';

export function askPage(sender: Sender, email: string): Shown {
  const { language, words } = spoken(sender.language);
  const { title, text, still, button } = words.ask;
  const body = html`<p>${filled(text, email, sender.name ?? words.sender)}</p>
    <p>${still}</p>
    ${form(hidden('confirmed', 'yes'), button)}`;
  return shown(title, body, { language });
}

export function donePage(sender: Sender, email: string): Shown {
  const { language, words } = spoken(sender.language);
  const text = filled(words.done.text, email, sender.name ?? words.sender);
  return shown(words.done.title, html`<p role="status">${text}</p>`, { language });
}

export function laterPage(sender: Sender, status: number): Shown {
  const { language, words } = spoken(sender.language);
  return shown(words.later.title, html`<p role="alert">${words.later.text}</p>`, { language, status });
}

/** For a link that is none of ours: the same words, whatever is wrong with it. */
export const deadPage = ({ kind, message }: DomainError): Shown =>
  kind === 'not_found'
    ? shown('This link does not work', html`<p>It may have been cut on its way. Please follow the one in the message itself.</p>`, {
        status: 404,
      })
    : shown('That did not work', html`<p>${message}.</p>`, { status: statusOfKind[kind] });

const filled = (text: string, email: string, sender: string): Html =>
  html`${text.split(/(\{email\}|\{sender\})/).map((part) => (part === '{email}' ? html`<strong>${email}</strong>` : html`${part === '{sender}' ? sender : part}`))}`;

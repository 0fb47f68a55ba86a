import type { DomainError } from '@posthorn/contracts';
import { statusOfKind } from '../dialects/dialect.js';
import type { HttpReply } from '../wire/fastify.js';
import { html, type Html } from './html.js';
import { renderPage, pageHeaders } from './page-look.js';
import { shown } from './page-kit.js';
import type { Shown } from './page.js';
import type { Sender } from './senders.js';

/** Personal links must not appear in search engines. */
export const unlisted = { 'x-robots-tag': 'noindex, nofollow' };

/** A page opened from a mail; its token is the only credential. */
export const drawForReader = (reply: HttpReply, page: Shown): HttpReply =>
  reply
    .code(page.status ?? 200)
    .headers({ ...pageHeaders, ...unlisted, ...page.headers })
    .send(renderPage(page));

export const describe = (language: string): Language => spoken(language) ?? 'en';

export function spoken(language: string): Language | null {
  const [root = ''] = language.trim().toLowerCase().split(/[-_]/);
  return Object.hasOwn(readerTexts, root) ? (root as Language) : null;
}

/** For a link that does not work; does not reveal why. */
export const linkFailedPage = ({ kind, message }: DomainError): Shown =>
  kind === 'not_found'
    ? shown(
        'This link is not valid',
        html`<p>It may be incomplete. Please open the link in the message again.</p>`,
        {
          status: 404,
        },
      )
    : shown('Something went wrong', html`<p>${message}.</p>`, { status: statusOfKind[kind] });

/** Nothing was changed, so the same link works again. */
export function laterPage(sender: Sender, status: number): Shown {
  const language = describe(sender.language);
  const { title, text } = readerTexts[language].later;
  return shown(title, html`<p role="alert">${text}</p>`, { language, status, brand: sender.name });
}

export function filled(
  text: string,
  { name, language }: Sender,
  { email = '', list = '', topic = '' }: { email?: string; list?: string; topic?: string } = {},
): Html {
  const values: Readonly<Record<string, Html>> = {
    '{email}': html`<strong>${email}</strong>`,
    '{list}': html`<strong>${list}</strong>`,
    '{topic}': html`<strong>${topic}</strong>`,
    '{sender}': html`${name ?? readerTexts[describe(language)].sender}`,
  };
  return html`${text.split(/(\{\w+\})/).map((part) => values[part] ?? html`${part}`)}`;
}

export type Language = 'en' | 'de' | 'fr' | 'es';

interface ReaderTexts {
  later: { title: string; text: string };
  sender: string;
}

const readerTexts: Readonly<Record<Language, ReaderTexts>> = {
  en: {
    later: { title: 'Temporarily unavailable', text: 'Nothing was changed. Please try again in a minute.' },
    sender: 'this sender',
  },
  de: {
    later: {
      title: 'Gerade nicht möglich',
      text: 'Es hat sich nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    sender: 'diesem Absender',
  },
  fr: {
    later: {
      title: 'Impossible pour le moment',
      text: 'Rien n’a changé. Veuillez réessayer dans une minute.',
    },
    sender: 'cet expéditeur',
  },
  es: {
    later: { title: 'Ahora no es posible', text: 'Nada ha cambiado. Inténtelo de nuevo en un minuto.' },
    sender: 'este remitente',
  },
};

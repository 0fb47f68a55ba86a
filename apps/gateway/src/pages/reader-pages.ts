import type { HttpReply } from '../edge/http/fastify.js';
import { html, type Html } from './html.js';
import { drawn, pageHeaders } from './page-look.js';
import { shown } from './page-kit.js';
import type { Shown } from './page.js';
import { readerTexts, type Language } from './reader-texts.js';
import type { Sender } from './senders.js';

/** No search engine shall show what stands behind somebody's own link. */
export const unlisted = { 'x-robots-tag': 'noindex, nofollow' };

/** A page behind a link of a mail: its token is all that it goes by, and nobody is signed in. */
export const drawForReader = (reply: HttpReply, page: Shown): HttpReply =>
  reply
    .code(page.status ?? 200)
    .headers({ ...pageHeaders, ...unlisted, ...page.headers })
    .send(drawn(page));

/** The language that is spoken here, for one that is asked for: `de-AT` is `de`, and what is not known is English. */
export function describe(language: string): Language {
  const [root = ''] = language.toLowerCase().split('-');
  return Object.hasOwn(readerTexts, root) ? (root as Language) : 'en';
}

/** Nothing happened, and the same link will do. */
export function laterPage(sender: Sender, status: number): Shown {
  const language = describe(sender.language);
  const { title, text } = readerTexts[language].later;
  return shown(title, html`<p role="alert">${text}</p>`, { language, status });
}

/** The text with each `{name}` in it replaced by what stands for it; a sender without a name is called something, too. */
export function filled(
  text: string,
  { name, language }: Sender,
  { email = '', list = '' }: { email?: string; list?: string } = {},
): Html {
  const values: Readonly<Record<string, Html>> = {
    '{email}': html`<strong>${email}</strong>`,
    '{list}': html`<strong>${list}</strong>`,
    '{sender}': html`${name ?? readerTexts[describe(language)].sender}`,
  };
  return html`${text.split(/(\{\w+\})/).map((part) => values[part] ?? html`${part}`)}`;
}

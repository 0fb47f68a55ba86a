import { Parser } from 'htmlparser2';
import type { MessageTexts } from '../rendering/liquid/liquid.js';
import { blankSpans } from '../rendering/spans.js';
import { hasVisibleLink } from './visible-link.js';

/** As it was at the first claim of mail with Liquid, and is at each attempt of other mail. */
export interface ProjectInMail {
  name?: string;
  language?: string;
  time_zone?: string;
  postal_address?: string;
}

interface FooterTexts {
  reason: string;
  /** Where the project has no name. */
  sender: string;
  leave: string;
}

const texts: Readonly<Record<string, FooterTexts>> = {
  en: { reason: 'You receive this message because you subscribed to news from {sender}.', sender: 'this sender', leave: 'Unsubscribe' },
  de: { reason: 'Sie bekommen diese Nachricht, weil Sie Neuigkeiten von {sender} abonniert haben.', sender: 'diesem Absender', leave: 'Abbestellen' },
  fr: { reason: 'Vous recevez ce message car vous êtes abonné aux nouvelles de {sender}.', sender: 'cet expéditeur', leave: 'Se désabonner' },
  es: { reason: 'Recibe este mensaje porque se suscribió a las novedades de {sender}.', sender: 'este remitente', leave: 'Darse de baja' },
}; // prettier-ignore

/** Marketing mail without a visible way to leave gets one, in each of its parts (docs/api-decisions.md §6). */
export function withFooter(
  content: MessageTexts,
  { url, prefixes, project }: { url: string; prefixes: readonly string[]; project: ProjectInMail },
): MessageTexts {
  const footer = footerOf(project);
  const { html, text } = content;
  return {
    ...content,
    html:
      html === '' || hasVisibleLink(html, prefixes)
        ? html
        : withHtml(html, htmlFooter(footer, url), prefixes),
    text:
      text === null || prefixes.some((prefix) => text.includes(prefix))
        ? text
        : `${text.trimEnd()}\n\n${textFooter(footer, url)}\n`,
  };
}

interface Footer {
  reason: string;
  leave: string;
  sender: string[];
}

function footerOf({ name = '', language = 'en', postal_address: address = '' }: ProjectInMail): Footer {
  const [root = ''] = language.toLowerCase().split('-');
  const { reason, sender, leave } = texts[Object.hasOwn(texts, root) ? root : 'en']!;
  return {
    reason: reason.replace('{sender}', () => name || sender),
    leave,
    sender: [name, ...address.split(/\r\n?|\n/)].map((line) => line.trim()).filter((line) => line !== ''),
  };
}

const textFooter = ({ reason, leave, sender }: Footer, url: string): string =>
  ['---', reason, `${leave}: ${url}`, ...(sender.length > 0 ? ['', ...sender] : [])].join('\n');

/** Against rules of the message that hide elements of these names, as for a preheader or another layout. */
const seen =
  ';visibility:visible !important;opacity:1 !important;height:auto !important;max-height:none !important;width:auto !important;font-size:12px !important;color:#555555 !important;text-indent:0 !important;mso-hide:none !important';
const seenBlock = `;display:block !important${seen}`;

const htmlFooter = ({ reason, leave, sender }: Footer, url: string): string =>
  `<div style="clear:both;margin:24px auto 0;padding:16px;max-width:600px !important;background-color:#ffffff !important;font:12px/18px Arial,sans-serif;text-align:center${seenBlock}">` +
  `<p style="margin:0 0 8px${seenBlock};max-width:none !important">${escaped(reason)} <a href="${escaped(url)}" style="text-decoration:underline;display:inline !important${seen};max-width:none !important">${leave}</a></p>` +
  (sender.length > 0
    ? `<p style="margin:0${seenBlock};max-width:none !important">${sender.map(escaped).join('<br>')}</p>`
    : '') +
  '</div>';

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter] ?? '&quot;');

/** Behind everything else of the body; before it where what the message leaves open would hide the link. */
function withHtml(html: string, footer: string, prefixes: readonly string[]): string {
  const behind = withLast(html, footer);
  if (hasVisibleLink(behind, prefixes)) return behind;
  const before = withFirst(html, footer);
  return hasVisibleLink(before, prefixes) ? before : behind;
}

/** Outside of a comment that nobody closed. */
function withLast(html: string, footer: string): string {
  const plain = blankSpans(html, commentMarks, ' ');
  const at = [...plain.matchAll(/<\/body(?![^\s/>])/gi)].at(-1)?.index ?? html.length;
  const isCommented = /<!--(?!-?>)/.test(plain.slice(0, at));
  return `${html.slice(0, at)}${isCommented ? '-->' : ''}${footer}${html.slice(at)}`;
}

const commentMarks = [['<!--', '-->']] as const;

/** At the start where the message has no body, or one in an element that hides it. */
function withFirst(html: string, footer: string): string {
  let at = /^\s*<!doctype[^>]*>/i.exec(html)?.[0].length ?? 0;
  let isFound = false;
  const parser = new Parser({
    onopentag(name) {
      if (name !== 'body' || isFound) return;
      isFound = true;
      at = parser.endIndex + 1;
    },
  });
  parser.end(html);
  return html.slice(0, at) + footer + html.slice(at);
}

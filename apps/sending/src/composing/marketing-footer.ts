import type { MessageTexts } from '../rendering/liquid/liquid.js';
import { hasVisibleLink } from './visible-link.js';

/** As it was at the first claim. */
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
    html: html === '' || hasVisibleLink(html, prefixes) ? html : withHtml(html, htmlFooter(footer, url)),
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

const htmlFooter = ({ reason, leave, sender }: Footer, url: string): string =>
  '<div style="clear:both;display:block;margin:24px auto 0;padding:16px;max-width:600px;background-color:#ffffff;color:#555555;font:12px/18px Arial,sans-serif;text-align:center">' +
  `<p style="margin:0 0 8px">${escaped(reason)} <a href="${escaped(url)}" style="color:#555555;text-decoration:underline">${leave}</a></p>` +
  (sender.length > 0 ? `<p style="margin:0">${sender.map(escaped).join('<br>')}</p>` : '') +
  '</div>';

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter] ?? '&quot;');

/** Behind everything else of the body, outside of a comment that nobody closed. */
function withHtml(html: string, footer: string): string {
  const lower = html.toLowerCase();
  const end = lower.lastIndexOf('</body');
  const at = end === -1 ? lower.length : end;
  const isCommented = lower.lastIndexOf('<!--', at) > lower.lastIndexOf('-->', at);
  return isCommented
    ? `${html.slice(0, at)}-->${footer}${html.slice(at)}`
    : html.slice(0, at) + footer + html.slice(at);
}

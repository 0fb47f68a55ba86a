import type { IncomingMessage } from 'node:http';
import { headerValues } from './header-values.js';

/** What a handler answers in place of a resource where a browser asks for a page. */
export class HtmlPage {
  constructor(
    readonly html: string,
    readonly status = 200,
  ) {}
}

/** Forms go back to us alone; with no referrer at all a browser would say `Origin: null`, which is nobody's page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
};

/** A HEAD is never more than a look: nothing that is read once may be used up by it. */
export const wantsPage = ({ method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>): boolean =>
  method === 'HEAD' || headerValues(rawHeaders, 'accept').some((accept) => /\btext\/html\b/i.test(accept));

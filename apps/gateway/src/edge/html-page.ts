import type { IncomingMessage } from 'node:http';
import type { Shown } from '../pages/page.js';
import { headerValues } from './header-values.js';

/** What a handler answers in place of a resource where a browser asks for a page. */
export class HtmlPage {
  constructor(readonly shown: Shown) {}
}

/** A HEAD is never more than a look: nothing that is read once may be used up by it. */
export const wantsPage = ({ method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>): boolean =>
  method === 'HEAD' || headerValues(rawHeaders, 'accept').some((accept) => /\btext\/html\b/i.test(accept));

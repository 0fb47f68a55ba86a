import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { maxTrackedUrl } from '../tokens/engagement-token.js';

export interface HtmlTracking {
  base: string;
  untouched?: readonly string[];
  openToken: string | null;
  clickToken: ((url: string) => string) | null;
}

const clickUrl = (base: string, token: string): string => `${trimmed(base)}/t/c/${token}`;
export const unsubscribeUrl = (base: string, token: string): string => `${trimmed(base)}/u/${token}`;
export const manageUrl = (base: string, token: string): string => `${trimmed(base)}/p/${token}`;
export const unsubscribePrefixes = (base: string): string[] => [`${trimmed(base)}/u/`, `${trimmed(base)}/p/`];
const openUrl = (base: string, token: string): string => `${trimmed(base)}/t/o/${token}.gif`;
const trimmed = (base: string): string => base.replace(/\/+$/, '');

interface Splice {
  start: number;
  end: number;
  text: string;
}

/** Rewrites links and appends a pixel; every other byte stays the same. */
export function trackHtml(html: string, tracking: HtmlTracking): string {
  const { base, untouched = [], openToken, clickToken } = tracking;
  if (openToken === null && clickToken === null) return html;
  const found = findLinks(html, clickToken !== null);
  const splices = found.links.flatMap(({ value, ...location }): Splice[] => {
    const url = trackable(value, untouched);
    return url === null ? [] : [{ ...location, text: clickUrl(base, clickToken!(url)) }];
  });
  if (openToken !== null)
    splices.push({ start: found.bodyEnd, end: found.bodyEnd, text: pixel(openUrl(base, openToken)) });
  return spliced(html, splices);
}

/** Not hidden by CSS, because some clients do not fetch hidden images. */
const pixel = (url: string): string =>
  `<img src="${url}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;

function trackable(value: string, untouched: readonly string[]): string | null {
  const text = value.trim();
  if (!/^https?:\/\//i.test(text) || untouched.some((prefix) => text.startsWith(prefix))) return null;
  const url = URL.canParse(text) ? new URL(text).href : null;
  return url !== null && url.length <= maxTrackedUrl ? url : null;
}

function spliced(html: string, splices: readonly Splice[]): string {
  let done = '';
  let at = 0;
  for (const { start, end, text } of splices.toSorted((one, other) => one.start - other.start)) {
    done += html.slice(at, start) + text;
    at = end;
  }
  return done + html.slice(at);
}

interface Link {
  start: number;
  end: number;
  value: string;
}

interface Found {
  links: Link[];
  bodyEnd: number;
}

const linking = new Set(['a', 'area']);
const beforeValue = /[\t\n\f\r ]*=[\t\n\f\r ]*/y;

function findLinks(html: string, wanted: boolean): Found {
  const finder = new LinkFinder(html, wanted);
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, finder);
  tokenizer.write(html);
  tokenizer.end();
  return finder.found;
}

/** Ignores comments, scripts and styles; of a duplicate attribute the first one counts, as in HTML. */
class LinkFinder implements TokenizerCallbacks {
  readonly found: Found;
  private inLink = false;
  private name = '';
  private nameEnd = 0;
  private value = '';
  private href: Link | null = null;
  private optedOut = false;
  private readonly seen = new Set<string>();

  constructor(
    private readonly html: string,
    private readonly wanted: boolean,
  ) {
    this.found = { links: [], bodyEnd: html.length };
  }

  onopentagname(start: number, end: number): void {
    this.inLink = this.wanted && linking.has(this.nameAt(start, end));
    this.href = null;
    this.optedOut = false;
    this.seen.clear();
  }

  onattribname(start: number, end: number): void {
    if (!this.inLink) return;
    this.name = this.nameAt(start, end);
    this.nameEnd = end;
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.inLink) this.value += this.html.slice(start, end);
  }

  onattribentity(codepoint: number): void {
    if (this.inLink) this.value += String.fromCodePoint(codepoint);
  }

  onattribend(quote: QuoteType, end: number): void {
    if (!this.inLink || this.seen.has(this.name)) return;
    this.seen.add(this.name);
    if (this.name === 'data-track') this.optedOut = this.value.trim().toLowerCase() === 'false';
    else if (this.name === 'href' && quote !== QuoteType.NoValue)
      this.href = { ...this.valueUpTo(end, quote), value: this.value };
  }

  onopentagend(): void {
    if (this.inLink && this.href && !this.optedOut) this.found.links.push(this.href);
    this.inLink = false;
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    if (this.nameAt(start, end) === 'body') this.found.bodyEnd = start - '</'.length;
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}

  private nameAt(start: number, end: number): string {
    return this.html.slice(start, end).toLowerCase();
  }

  private valueUpTo(end: number, quote: QuoteType): { start: number; end: number } {
    beforeValue.lastIndex = this.nameEnd;
    beforeValue.test(this.html);
    const start = beforeValue.lastIndex;
    return quote === QuoteType.Unquoted ? { start, end } : { start: start + 1, end: end - 1 };
  }
}

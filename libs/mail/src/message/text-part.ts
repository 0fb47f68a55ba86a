import { compile } from 'html-to-text';
import { tableFormatters, tableSelectors } from './text-tables.js';

const toText = compile({
  wordwrap: 76,
  limits: { maxInputLength: 2 ** 24, maxDepth: 128 },
  formatters: tableFormatters,
  selectors: [
    ...tableSelectors,
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The converter's time grows with open tags: without a limit a megabyte takes minutes. */
const maxTags = 20_000;

export function textFromHtml(html: string): string {
  return toText(html.slice(0, endOfTags(html)));
}

function endOfTags(html: string): number {
  let at = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    at = html.indexOf('<', at + 1);
    if (at === -1) return html.length;
  }
  return at;
}
